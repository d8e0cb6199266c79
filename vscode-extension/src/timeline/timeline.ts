// The page at work: one viewport, one cursor, one player; rows are fetched for what is in view.
import { ClockTable, clockText, placeOf } from './clock';
import { Detail } from './detail';
import { type DrawnLane, drawLanes, drawRuler, LANES_HEIGHT, laneHeight, laidOut, SHAPES, sized } from './draw';
import type { AudioFile, Call, ClockTableResult, Place, Row, SeekPlace, TimelineHost, TimelineResult } from './host';
import { boxAt, neighbour } from './layout';
import { build, drawLegend, type Elements, RULER_HEIGHT } from './markup';
import { Player } from './player';
import { Search } from './search';
import { Sound } from './sound';
import { colours } from './theme';
import { following, panned, resized, type Viewport, wholeCall, xOf } from './viewport';
import { moveText, placeText, rowText, LANE_NAMES } from './words';

/** Rows of a lane beyond which the core merges them; the width of a screen. */
const ROWS = 400;
const TABLE_PAGE = 20_000;
const FOLLOW_EVERY_MS = 400;

export class Timeline {
  readonly elements: Elements;
  readonly player: Player;
  view: Viewport = wholeCall(0, 1000, 600);
  private table = new ClockTable([], []);
  private call: Call | null = null;
  private data: TimelineResult | null = null;
  private place: Place | null = null;
  private drawn: DrawnLane[] = [];
  private selected: Row | null = null;
  private laneAt = 0;
  private eventIndex = -1;
  private readonly detail: Detail;
  private readonly sound: Sound;
  private readonly search: Search;
  private redraw = 0;
  private fetching = false;
  private stale = false;
  private lastFollowed = 0;
  private placeAsked = false;
  /** Where the debugger's cursor was last known to be. */
  private debuggerAt = -1;
  private bringsDebugger = true;

  constructor(root: HTMLElement, private readonly host: TimelineHost) {
    this.elements = build(root);
    this.player = new Player((ms) => this.onFrame(ms), (playing) => this.onPlaying(playing));
    this.detail = new Detail(this.elements.detail, host, (index) => void this.go({ event_index: index }));
    this.sound = new Sound(host, this.player, this.elements);
    this.search = new Search(this.elements, host, (index) => void this.go({ event_index: index }));
    drawLegend(this.elements.legend);
    host.onNotice((notice) => (notice === 'stopped' ? void this.follow() : this.ended()));
    new ResizeObserver(() => this.resize()).observe(this.elements.area);
    new MutationObserver(() => this.recolour()).observe(document.body, { attributes: true, attributeFilter: ['class'] });
  }

  /** Read the call: its extent, its clock table, its audio; then show where the cursor stands. */
  async load(): Promise<void> {
    try {
      const first = await this.host.query<TimelineResult>({ action: 'timeline', lanes: [] });
      this.call = first.call;
      this.table = await this.readTable();
      const { items } = await this.host.query<{ items: AudioFile[] }>({ action: 'inspect_clocks' });
      const ends = items.map((file) => (file.offset_ms ?? 0) + (file.measured_ms ?? file.declared_ms ?? 0));
      const starts = items.flatMap((file) => (file.label === 'recorded' && file.offset_ms !== null ? [file.offset_ms] : []));
      const firstMs = Math.min(0, first.call.first_ms ?? 0, ...starts);
      this.view = wholeCall(firstMs, Math.max(first.call.last_ms ?? 0, ...ends, 1), this.width);
      this.say(this.call.events_without_clock ? `${this.call.events_without_clock} events have no recorded time: they can be stepped to and are drawn where the call stood.` : '');
      this.arrived(first.place, null);
      await this.fetchRows();
      document.body.dataset['ready'] = 'true';
      await this.sound.load(items, this.view);
      this.draw();
    } catch (error) {
      this.failed(error);
    }
  }

  private async readTable(): Promise<ClockTable> {
    const clocks: number[] = [];
    const indices: number[] = [];
    for (let total = 1; clocks.length < total; ) {
      const page = await this.host.query<ClockTableResult>({ action: 'clock_table', offset: clocks.length, limit: TABLE_PAGE });
      total = page.total;
      if (page.clocks.length === 0) break;
      for (const clock of page.clocks) clocks.push(clock);
      for (const index of page.indices) indices.push(index);
    }
    return new ClockTable(clocks, indices);
  }

  private get width(): number {
    return Math.max(50, this.elements.area.clientWidth);
  }

  get mediaMs(): number {
    return this.player.isPlaying ? this.player.mediaMs : this.place?.media_ms ?? this.view.firstMs;
  }

  // -- moving ----------------------------------------------------------------------------------------

  /** Move the debugger there; its stop brings the page along. */
  async go(place: SeekPlace): Promise<void> {
    this.pauseHere();
    try {
      const index = await this.host.seek(place);
      if (index !== this.eventIndex) await this.follow();
    } catch (error) {
      this.failed(error);
    }
  }

  step(by: 1 | -1): void {
    const last = (this.call?.events ?? 0) - 1;
    const to = Math.min(Math.max(this.eventIndex + by, -1), last);
    void this.go(placeOf(to));
  }

  /** The debugger has stopped somewhere: come along, unless playing brought it there. */
  private async follow(): Promise<void> {
    const expected = this.debuggerAt;
    try {
      const { place } = await this.host.query<TimelineResult>({ action: 'timeline', lanes: [] });
      if (this.call === null) return await this.load();
      if (this.player.isPlaying && place.event_index === expected) return;
      this.pauseHere();
      if (place.event_index === this.eventIndex && this.place?.event_index === place.event_index) return;
      const before = this.eventIndex;
      this.arrived(place, before);
      if (place.media_ms !== null) this.player.seek(place.media_ms);
    } catch (error) {
      this.failed(error);
    }
  }

  private arrived(place: Place, before: number | null): void {
    this.place = place;
    this.eventIndex = this.debuggerAt = place.event_index;
    this.elements.move.textContent = moveText(before, place.event_index);
    this.elements.status.classList.remove('error');
    if (place.media_ms !== null) this.look(following(this.view, place.media_ms));
    this.showPlace(place);
    this.elements.said.textContent = `${this.elements.move.textContent} ${this.elements.place.textContent}. ${place.event?.what ?? ''}`;
    this.draw();
  }

  private showPlace(place: Place): void {
    const { elements } = this;
    elements.place.textContent = placeText(place, this.call?.events ?? 0);
    elements.what.textContent = place.event?.what ?? '';
    elements.back.disabled = place.event_index < 0;
    elements.ahead.disabled = place.event_index >= (this.call?.events ?? 0) - 1;
    document.body.dataset['event'] = String(place.event_index);
  }

  private ended(): void {
    this.pauseHere();
    this.say('The debug session is over. Start it again to move in this call.');
    document.body.dataset['ended'] = 'true';
  }

  // -- playing ---------------------------------------------------------------------------------------

  async togglePlay(): Promise<void> {
    if (this.player.isPlaying) return this.player.pause();
    if (!this.player.isReady) return this.say(this.sound.why);
    try {
      const at = this.place?.media_ms ?? this.view.firstMs;
      await this.player.play(this.place?.edge === 'end' ? this.view.firstMs : at);
    } catch (error) {
      this.say(`The audio cannot be played: ${error instanceof Error ? error.message : String(error)}`, true);
    }
  }

  private onFrame(mediaMs: number): void {
    const index = this.table.eventAt(mediaMs);
    const view = following(this.view, mediaMs);
    if (view !== this.view) this.look(view);
    this.showTime(mediaMs);
    if (index === this.eventIndex) return;
    this.eventIndex = index;
    document.body.dataset['event'] = String(index);
    void this.showPlayedPlace(index);
    const now = performance.now();
    if (now - this.lastFollowed >= FOLLOW_EVERY_MS) {
      this.lastFollowed = now;
      void this.bringDebugger(index);
    }
  }

  /** The debugger's cursor goes where the audio is; what it answers does not stop the audio. */
  private bringDebugger(index: number): Promise<void> {
    this.debuggerAt = index;
    return this.host.seek(placeOf(index)).then(() => undefined, (error: unknown) => this.failed(error));
  }

  /** Pause without bringing the debugger: it has moved by itself, or is about to. */
  private pauseHere(): void {
    this.bringsDebugger = false;
    this.player.pause();
    this.bringsDebugger = true;
  }

  private async showPlayedPlace(index: number): Promise<void> {
    if (this.placeAsked) return;
    this.placeAsked = true;
    try {
      const { place } = await this.host.query<TimelineResult>({ action: 'timeline', lanes: [], cursor: index });
      if (!this.player.isPlaying) return;
      this.place = place;
      this.elements.move.textContent = '▶ playing';
      this.showPlace(place);
    } catch {
      // the next event asks again
    } finally {
      this.placeAsked = false;
    }
  }

  private onPlaying(playing: boolean): void {
    this.elements.play.textContent = playing ? '⏸ Pause' : '▶ Play';
    this.elements.play.setAttribute('aria-pressed', String(playing));
    document.body.dataset['playing'] = String(playing);
    if (playing) {
      this.lastFollowed = performance.now();
      return;
    }
    this.elements.move.textContent = '';
    if (!this.bringsDebugger) return;
    const index = this.eventIndex;
    const there = index === this.debuggerAt ? Promise.resolve() : this.bringDebugger(index);
    void there.then(() => this.settle()).catch((error: unknown) => this.failed(error));
  }

  /** After a pause everything freezes at one event: the one that the audio had reached. */
  private async settle(): Promise<void> {
    const { place } = await this.host.query<TimelineResult>({ action: 'timeline', lanes: [] });
    if (!this.player.isPlaying) this.arrived(place, null);
  }

  // -- looking ---------------------------------------------------------------------------------------

  look(view: Viewport): void {
    this.view = view;
    this.schedule();
    void this.fetchRows();
  }

  private resize(): void {
    if (Math.abs(this.width - this.view.width) < 1) return;
    this.look(resized(this.view, this.width));
  }

  /** Fetch the rows of the window and half of it on both sides; one request at a time. */
  private async fetchRows(): Promise<void> {
    if (this.call === null) return;
    if (this.fetching) {
      this.stale = true;
      return;
    }
    const half = (this.view.toMs - this.view.fromMs) / 2;
    const window = { start_ms: Math.floor(this.view.fromMs - half), end_ms: Math.ceil(this.view.toMs + half) };
    const has = this.data?.window;
    const close = has !== undefined && has.start_ms <= this.view.fromMs && has.end_ms >= this.view.toMs && has.end_ms - has.start_ms <= 2.5 * 2 * half;
    if (close) return;
    this.fetching = true;
    try {
      this.data = await this.host.query<TimelineResult>({ action: 'timeline', ...window, limit: ROWS });
      this.schedule();
    } catch (error) {
      this.failed(error);
    } finally {
      this.fetching = false;
    }
    if (this.stale) {
      this.stale = false;
      await this.fetchRows();
    }
  }

  private recolour(): void {
    drawLegend(this.elements.legend);
    this.sound.recolour();
    this.schedule();
  }

  private schedule(): void {
    if (this.redraw) return;
    this.redraw = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.redraw);
    this.redraw = 0;
    const look = colours();
    const { elements, view } = this;
    drawRuler(sized(elements.ruler, view.width, RULER_HEIGHT), view, RULER_HEIGHT, look);
    this.drawn = laidOut(this.data?.lanes ?? [], view);
    drawLanes(sized(elements.lanes, view.width, LANES_HEIGHT), this.drawn, view, look, this.selected);
    this.sound.show(view);
    this.showTime(this.mediaMs);
    const spare = view.lastMs - view.firstMs - (view.toMs - view.fromMs);
    elements.scroll.disabled = spare <= 0;
    elements.scroll.value = String(spare > 0 ? Math.round(((view.fromMs - view.firstMs) / spare) * 1000) : 0);
  }

  private showTime(mediaMs: number): void {
    const { elements, view } = this;
    elements.cursor.style.transform = `translateX(${xOf(view, mediaMs)}px)`;
    elements.time.textContent = `${clockText(mediaMs)} / ${clockText(view.lastMs)}`;
    elements.scrub.setAttribute('aria-valuenow', String(Math.round(mediaMs)));
    elements.scrub.setAttribute('aria-valuemax', String(Math.round(view.lastMs)));
    elements.scrub.setAttribute('aria-valuetext', `${clockText(mediaMs)}, ${elements.place.textContent ?? ''}`);
  }

  // -- choosing --------------------------------------------------------------------------------------

  /** Choose what lies under a point of the lanes and go to its first event. */
  pick(x: number, y: number): void {
    const lane = this.drawn.find((one) => y >= one.top && y < one.top + laneHeight(one));
    const line = lane === undefined ? 0 : Math.floor((y - lane.top - 3) / lane.lineHeight);
    const box = lane === undefined ? null : boxAt(lane.boxes, x, Math.min(line, lane.lines - 1));
    if (lane === undefined || box === null) return;
    this.choose(box.row, lane.lane);
    void this.go({ event_index: box.row.event_index });
  }

  choose(row: Row, lane: string): void {
    this.selected = row;
    this.laneAt = SHAPES.findIndex((shape) => shape.lane === lane);
    this.showLane();
    this.elements.said.textContent = rowText(row, lane);
    void this.detail.show(row, lane);
    this.schedule();
  }

  chooseLane(step: 1 | -1): void {
    this.laneAt = (this.laneAt + step + SHAPES.length) % SHAPES.length;
    this.selected = null;
    this.showLane();
    const lane = SHAPES[this.laneAt]?.lane ?? '';
    const rows = this.data?.lanes.find((one) => one.lane === lane);
    this.elements.said.textContent = `${LANE_NAMES[lane] ?? lane}: ${rows?.total ?? 0} in this call`;
    this.schedule();
  }

  private showLane(): void {
    const lane = SHAPES[this.laneAt]?.lane;
    for (const name of this.elements.names.querySelectorAll<HTMLElement>('.lane-name')) {
      name.classList.toggle('chosen', name.dataset['lane'] === lane);
    }
  }

  chooseNeighbour(step: 1 | -1): void {
    const lane = SHAPES[this.laneAt]?.lane ?? '';
    const rows = this.data?.lanes.find((one) => one.lane === lane)?.items ?? [];
    const row = neighbour(rows, this.selected, step, this.mediaMs);
    if (row === null) return;
    if (row.start_ms !== null) this.look(following(this.view, row.start_ms));
    this.choose(row, lane);
  }

  goToSelected(): void {
    if (this.selected !== null) void this.go({ event_index: this.selected.event_index });
  }

  async nextFinding(): Promise<void> {
    const { items } = await this.host.query<{ items: { at: number; finding_id: string }[] }>({ action: 'list_findings', limit: 1000 });
    const next = items.find((item) => item.at > this.eventIndex) ?? items[0];
    if (next === undefined) this.say('This call has no findings.');
    else await this.go({ finding: next.finding_id });
  }

  scroll(by: number): void {
    this.look(panned(this.view, by));
  }

  /** Scrub: the cursor line and the event cursor follow at once, the debugger when it is let go. */
  scrub(ms: number, done: boolean): void {
    this.pauseHere();
    const at = Math.min(Math.max(ms, this.view.firstMs), this.view.lastMs);
    this.showTime(at);
    this.elements.place.textContent = `#${this.table.eventAt(at)}, ${clockText(at)}`;
    if (!done) return;
    const index = this.table.eventAt(at);
    void this.go(placeOf(index)).then(() => this.player.seek(at));
  }

  focusSearch(): void {
    this.search.focus();
  }

  private say(words: string, isError = false): void {
    this.elements.status.textContent = words;
    this.elements.status.classList.toggle('error', isError);
  }

  private failed(error: unknown): void {
    this.say(error instanceof Error ? error.message : String(error), true);
  }
}
