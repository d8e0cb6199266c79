// The call's audio on the page: a waveform for each channel, or why there is none; and its tracks.
import type { AudioFile, TimelineHost } from './host';
import type { Elements } from './markup';
import { element } from './markup';
import type { Player } from './player';
import { colours } from './theme';
import { type Viewport, xOf } from './viewport';
import { Wave, whyNoWave } from './waves';

export class Sound {
  /** Why nothing can be played. */
  why = 'This call has no recorded audio.';
  private waves: { wave: Wave; lane: string; bare: Bare }[] = [];

  constructor(private readonly host: TimelineHost, private readonly player: Player, private readonly elements: Elements) {}

  async load(files: readonly AudioFile[], view: Viewport): Promise<void> {
    this.player.clear();
    for (const { wave } of this.waves) wave.destroy();
    this.waves = [];
    this.elements.waves.replaceChildren();
    this.elements.waveNames.replaceChildren();
    if (files.length === 0) this.row('audio', 'This call has no audio: none was recorded.');
    for (const file of files) await this.add(file, view);
    this.elements.play.disabled = !this.player.isReady;
    if (!this.player.isReady) this.elements.play.title = this.why;
  }

  private async add(file: AudioFile, view: Viewport): Promise<void> {
    const name = file.channels.join(', ') || file.role || file.audio_id;
    if (file.label !== 'recorded' || file.offset_ms === null) {
      this.why = file.label === 'recorded' ? 'Its place on the call clock was not recorded.' : whyNoWave(file);
      this.row(name, this.why);
      return;
    }
    try {
      const peaks = await this.host.peaks(file.audio_id);
      for (const channel of peaks.channels) {
        const lane = /agent|assistant|bot/i.test(channel.name) ? 'playbacks' : 'speech';
        const box = this.row(channel.name, null);
        const colour = colours().lanes[lane] as string;
        const wave = new Wave(box, view.firstMs, view.lastMs, channel, peaks, colour, this.host.nonce);
        const bins = Math.ceil((atob(channel.lows).length / 2) * peaks.binMs);
        this.waves.push({ wave, lane, bare: new Bare(box, peaks.offsetMs, peaks.offsetMs + bins) });
      }
      this.player.add(await this.track(file.audio_id), file.offset_ms);
    } catch (error) {
      this.why = error instanceof Error ? error.message : String(error);
      this.row(name, this.why);
    }
  }

  /** An element that can play the file: from its address, else from its bytes. */
  private async track(audioId: string): Promise<HTMLAudioElement> {
    const audio = new Audio();
    audio.preload = 'auto';
    audio.src = await this.host.audioUrl(audioId).catch(async () => URL.createObjectURL(await this.host.audioBytes(audioId)));
    if (await playable(audio)) return audio;
    audio.src = URL.createObjectURL(await this.host.audioBytes(audioId));
    if (await playable(audio)) return audio;
    throw new Error('This audio cannot be played here: its format is not known to the browser.');
  }

  private row(name: string, why: string | null): HTMLElement {
    this.elements.waveNames.append(element('div', '', { class: 'wave-name' }, [name]));
    const box = element('div', '', { class: why === null ? 'wave' : 'wave empty', 'data-channel': name, ...(why === null ? { role: 'img', 'aria-label': `Waveform of ${name}` } : {}) }, why === null ? [] : [why]);
    this.elements.waves.append(box);
    return box;
  }

  show(view: Viewport): void {
    for (const { wave, bare } of this.waves) {
      wave.show(view);
      bare.show(view);
    }
  }

  recolour(): void {
    const { lanes } = colours();
    for (const { wave, lane } of this.waves) wave.recolour(lanes[lane] as string);
  }
}

/** What the file does not hold: before its first frame and behind its last, hatched. */
class Bare {
  private readonly before = element('div', '', { class: 'bare' });
  private readonly behind = element('div', '', { class: 'bare' });

  constructor(box: HTMLElement, private readonly fromMs: number, private readonly toMs: number) {
    box.append(this.before, this.behind);
  }

  show(view: Viewport): void {
    const from = Math.min(Math.max(xOf(view, this.fromMs), 0), view.width);
    const to = Math.min(Math.max(xOf(view, this.toMs), 0), view.width);
    this.before.style.width = `${from}px`;
    this.behind.style.left = `${to}px`;
    this.behind.style.width = `${view.width - to}px`;
  }
}

function playable(audio: HTMLAudioElement): Promise<boolean> {
  return new Promise((resolve) => {
    if (audio.readyState >= 1) return resolve(true);
    audio.addEventListener('loadedmetadata', () => resolve(true), { once: true });
    audio.addEventListener('error', () => resolve(false), { once: true });
    audio.load();
  });
}
