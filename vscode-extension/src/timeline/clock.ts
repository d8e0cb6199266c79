// The core's (clock, index) table and the two look-ups in it, as the contract words them.
import type { SeekPlace } from './host';

/** How many leading elements are at or below `value`. */
function countUpTo(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class ClockTable {
  private readonly clocks: Float64Array;
  private readonly indices: Int32Array;

  constructor(clocks: Iterable<number>, indices: Iterable<number>) {
    this.clocks = Float64Array.from(clocks);
    this.indices = Int32Array.from(indices);
  }

  get size(): number {
    return this.clocks.length;
  }

  /** The last event at or before a media millisecond (ties: the highest index); -1 before all. */
  eventAt(mediaMs: number): number {
    const count = countUpTo(this.clocks, mediaMs);
    return count > 0 ? (this.indices[count - 1] as number) : -1;
  }

  /** The media millisecond of an event cursor: the greatest clock up to there; null before all. */
  mediaAt(eventIndex: number): number | null {
    const count = countUpTo(this.indices, eventIndex);
    return count > 0 ? (this.clocks[count - 1] as number) : null;
  }
}

/** A time on the call clock as the debugger writes it: minutes, seconds, tenths. */
export function clockText(ms: number, digits = 1): string {
  const whole = Math.abs(Math.trunc(ms));
  const minutes = String(Math.floor(whole / 60_000)).padStart(2, '0');
  const seconds = String(Math.floor((whole % 60_000) / 1000)).padStart(2, '0');
  const rest = String(whole % 1000).padStart(3, '0').slice(0, digits);
  return `${ms < 0 ? '-' : ''}${minutes}:${seconds}${digits ? `.${rest}` : ''}`;
}

/** The place of an event, for a seek; -1 is the start of the recording. */
export function placeOf(eventIndex: number): SeekPlace {
  return eventIndex < 0 ? { edge: 'start' } : { event_index: eventIndex };
}
