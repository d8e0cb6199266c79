// The page's sentences, from what the core says. Words of the glossary; no texts of the call here.
import { clockText } from './clock';
import type { Place, Row } from './host';

export const LANE_NAMES: Readonly<Record<string, string>> = {
  visits: 'Visits',
  playbacks: 'Playbacks',
  speech: 'Transcript',
  slots: 'Slot writes',
  guards: 'Guards',
  transitions: 'Transitions',
  pending: 'Pending work',
  findings: 'Findings',
};

/** Which way the cursor went, and how far; empty for no move. */
export function moveText(from: number | null, to: number): string {
  if (from === null || from === to) return '';
  const count = Math.abs(to - from);
  const events = count === 1 ? '1 event' : `${count} events`;
  return to < from ? `◀ went back ${events}` : `▶ went forward ${events}`;
}

/** Where the cursor stands in one line. */
export function placeText(place: Place, total: number): string {
  if (place.event === null) return total ? 'Start of recording, before the first event' : 'This recording has no events';
  const at = place.event.clock_ms === null ? 'no recorded time' : clockText(place.event.clock_ms);
  const where = place.visit === null ? 'before the first visit' : `${place.visit.visit_id}${place.visit.status === 'left' ? ' (left)' : ''}`;
  const end = place.edge === 'end' ? ', end of recording' : '';
  return `#${place.event_index} of ${total - 1}, ${at}, ${where}${end}`;
}

/** What a row is, for the detail line and for a screen reader. */
export function rowText(row: Row, lane: string): string {
  const start = row.start_ms === null ? 'no recorded time' : clockText(row.start_ms);
  if (row.count > 1) return `${row.count} ${LANE_NAMES[lane] ?? lane} from ${start}: zoom in to see each`;
  const end = row.end_ms === null || row.end_ms === row.start_ms ? '' : ` to ${clockText(row.end_ms)}`;
  return `${start}${end} · #${row.event_index} · ${row.text ?? ''}`;
}

export function labelText(row: Row): string {
  const why = row.reason ? `: ${row.reason.replaceAll('_', ' ')}` : '';
  const timed = row.timed === false ? ', drawn where the call stood: its own time was not recorded' : '';
  return `${row.label ?? 'recorded'}${why}${timed}`;
}
