// Where rows stand in a lane, and which of them lies under a point. Pure: no drawing here.
import type { Row } from './host';
import { type Viewport, xOf } from './viewport';

export interface Box {
  readonly row: Row;
  readonly x: number;
  readonly width: number;
  /** Which line of the lane, from the top. */
  readonly line: number;
  /** How many pixels of text fit to the right without touching the next box. */
  readonly room: number;
}

export const POINT_WIDTH = 9;
const SPAN_MIN = 3;

/** A row has an extent where its end is known or will never come; else it is a point. */
export function isSpan(row: Row, lane: string): boolean {
  if (row.count > 1) return true;
  if (row.end_ms !== null) return true;
  return lane === 'playbacks' || lane === 'pending' || lane === 'visits';
}

/** Place the rows of a lane on at most `lines` lines, in call order; what overlaps goes below. */
export function placed(rows: readonly Row[], lane: string, view: Viewport, lines: number): Box[] {
  const reached: number[] = Array.from({ length: lines }, () => -Infinity);
  const boxes: Box[] = [];
  for (const row of rows) {
    const start = row.start_ms ?? view.firstMs;
    const x = xOf(view, start);
    const span = isSpan(row, lane);
    const end = row.end_ms ?? (span ? view.lastMs : start);
    const width = span ? Math.max(SPAN_MIN, xOf(view, end) - x) : POINT_WIDTH;
    const line = lane === 'visits' ? Math.min(row.depth ?? 0, lines - 1) : freeLine(reached, x, lane === 'speech' && row.kind === 'agent' ? 1 : 0);
    reached[line] = Math.max(reached[line] as number, x + width);
    boxes.push({ row, x, width, line, room: 0 });
  }
  return withRoom(boxes, view, lines);
}

/** The wanted line if it is free from `x` on, else the first free one, else the one free soonest. */
function freeLine(reached: readonly number[], x: number, wanted: number): number {
  if (x >= (reached[wanted] ?? Infinity)) return wanted;
  const free = reached.findIndex((upTo) => x >= upTo);
  return free >= 0 ? free : reached.indexOf(Math.min(...reached));
}

function withRoom(boxes: readonly Box[], view: Viewport, lines: number): Box[] {
  const next: number[] = Array.from({ length: lines }, () => view.width);
  const found: Box[] = [];
  for (let at = boxes.length - 1; at >= 0; at -= 1) {
    const box = boxes[at] as Box;
    found.push({ ...box, room: Math.max(0, (next[box.line] as number) - Math.max(box.x, 0)) });
    next[box.line] = Math.min(next[box.line] as number, box.x);
  }
  return found.reverse();
}

/** The box under a point of the lane; the one drawn last wins; points are easy to hit. */
export function boxAt(boxes: readonly Box[], x: number, line: number): Box | null {
  for (let at = boxes.length - 1; at >= 0; at -= 1) {
    const box = boxes[at] as Box;
    const slack = box.width <= POINT_WIDTH ? 3 : 0;
    if (box.line === line && x >= box.x - slack && x <= box.x + box.width + slack) return box;
  }
  return null;
}

/** The row before or after a row of the same lane, in call order; from nowhere: around `ms`. */
export function neighbour(rows: readonly Row[], from: Row | null, step: 1 | -1, ms: number): Row | null {
  if (from !== null) {
    const at = rows.findIndex((row) => row.event_index === from.event_index && row.id === from.id);
    if (at >= 0) return rows[at + step] ?? null;
  }
  if (step === 1) return rows.find((row) => (row.start_ms ?? -Infinity) >= ms) ?? rows[0] ?? null;
  return rows.filter((row) => (row.start_ms ?? Infinity) <= ms).at(-1) ?? rows.at(-1) ?? null;
}
