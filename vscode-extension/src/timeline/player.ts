// The one controller of the call's retained audio. All files play on the call clock; the first that
// can be played leads and the others are held to it. Nothing is synthesised.

export interface Track {
  readonly element: HTMLAudioElement;
  readonly offsetMs: number;
}

/** How far a following file may run away before it is set right. */
const DRIFT_MS = 60;

export class Player {
  private tracks: Track[] = [];
  private frame = 0;
  private startedHere = false;

  /** `onFrame` hears the media millisecond on every animation frame while the audio plays. */
  constructor(
    private readonly onFrame: (mediaMs: number) => void,
    private readonly onChange: (playing: boolean) => void,
  ) {}

  add(element: HTMLAudioElement, offsetMs: number): void {
    const track = { element, offsetMs };
    this.tracks.push(track);
    element.addEventListener('ended', () => {
      if (this.lead === track) this.pause();
    });
    element.addEventListener('error', () => {
      if (this.tracks.includes(track) && this.isPlaying) this.pause();
    });
  }

  clear(): void {
    this.pause();
    this.tracks = [];
  }

  get isReady(): boolean {
    return this.tracks.length > 0;
  }

  get isPlaying(): boolean {
    return this.startedHere;
  }

  get mediaMs(): number {
    const lead = this.lead;
    return lead === undefined ? 0 : lead.element.currentTime * 1000 + lead.offsetMs;
  }

  private get lead(): Track | undefined {
    return this.tracks[0];
  }

  seek(mediaMs: number): void {
    for (const { element, offsetMs } of this.tracks) {
      element.currentTime = Math.max(0, (mediaMs - offsetMs) / 1000);
    }
  }

  async play(fromMs: number): Promise<void> {
    if (!this.isReady || this.startedHere) return;
    this.seek(fromMs);
    this.startedHere = true;
    this.onChange(true);
    try {
      await Promise.all(this.tracks.map(({ element }) => element.play()));
      this.frame = requestAnimationFrame(() => this.tick());
    } catch (error) {
      this.pause();
      throw error;
    }
  }

  pause(): void {
    cancelAnimationFrame(this.frame);
    for (const { element } of this.tracks) element.pause();
    if (!this.startedHere) return;
    this.startedHere = false;
    this.onChange(false);
  }

  private tick(): void {
    if (!this.startedHere) return;
    const now = this.mediaMs;
    for (const { element, offsetMs } of this.tracks.slice(1)) {
      const away = element.currentTime * 1000 + offsetMs - now;
      if (Math.abs(away) > DRIFT_MS && !element.ended) element.currentTime = (now - offsetMs) / 1000;
    }
    this.onFrame(now);
    this.frame = requestAnimationFrame(() => this.tick());
  }
}
