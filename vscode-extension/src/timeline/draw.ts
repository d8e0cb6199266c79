// The lanes on a canvas: only what is in the window is drawn, whatever the call holds.
import { clockText } from './clock';
import type { LaneRows, Label, Row } from './host';
import { type Box, POINT_WIDTH, placed } from './layout';
import type { Colours } from './theme';
import { rulerStep, type Viewport, xOf } from './viewport';

export interface LaneShape {
  readonly lane: string;
  readonly lines: number;
  readonly lineHeight: number;
}

export const SHAPES: readonly LaneShape[] = [
  { lane: 'visits', lines: 2, lineHeight: 16 },
  { lane: 'playbacks', lines: 2, lineHeight: 16 },
  { lane: 'speech', lines: 2, lineHeight: 16 },
  { lane: 'findings', lines: 2, lineHeight: 15 },
  { lane: 'slots', lines: 1, lineHeight: 18 },
  { lane: 'transitions', lines: 1, lineHeight: 18 },
  { lane: 'guards', lines: 2, lineHeight: 14 },
  { lane: 'pending', lines: 2, lineHeight: 16 },
];
export const LANE_GAP = 4;

export interface DrawnLane extends LaneShape {
  readonly top: number;
  readonly boxes: readonly Box[];
}

export function laneHeight(shape: LaneShape): number {
  return shape.lines * shape.lineHeight + LANE_GAP;
}

export const LANES_HEIGHT = SHAPES.reduce((sum, shape) => sum + laneHeight(shape), 0);

/** Lay all lanes out in a window. */
export function laidOut(lanes: readonly LaneRows[], view: Viewport): DrawnLane[] {
  let top = 0;
  return SHAPES.map((shape) => {
    const rows = lanes.find((lane) => lane.lane === shape.lane)?.items ?? [];
    const near = rows.filter((row) => (row.start_ms ?? 0) <= view.toMs);
    const drawn = { ...shape, top, boxes: placed(near, shape.lane, view, shape.lines) };
    top += laneHeight(shape);
    return drawn;
  });
}

type Context = CanvasRenderingContext2D;

/** Size a canvas for the screen's pixels and return its context, cleared. */
export function sized(canvas: HTMLCanvasElement, width: number, height: number): Context {
  const scale = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d') as Context;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export function drawRuler(context: Context, view: Viewport, height: number, colours: Colours): void {
  const step = rulerStep(view);
  context.font = `11px ${colours.font}`;
  context.textBaseline = 'middle';
  for (let ms = Math.ceil(view.fromMs / step) * step; ms <= view.toMs; ms += step) {
    const x = Math.round(xOf(view, ms)) + 0.5;
    context.fillStyle = colours.line;
    context.fillRect(x, height - 6, 1, 6);
    context.fillStyle = colours.faint;
    const label = clockText(ms, step < 1000 ? 2 : 0);
    if (x + context.measureText(label).width + 4 < view.width) context.fillText(label, x + 3, height / 2 - 1);
  }
}

export function drawLanes(context: Context, lanes: readonly DrawnLane[], view: Viewport, colours: Colours, selected: Row | null): void {
  context.textBaseline = 'middle';
  for (const lane of lanes) {
    context.fillStyle = colours.line;
    context.fillRect(0, lane.top + laneHeight(lane) - 1, view.width, 1);
    const most = Math.max(1, ...lane.boxes.map((box) => box.row.count));
    for (const box of lane.boxes) {
      if (box.x + box.width < 0 || box.x > view.width) continue;
      const top = lane.top + 3 + box.line * lane.lineHeight;
      const height = lane.lineHeight - 3;
      if (box.row.count > 1) drawStretch(context, box, top, height, colours.lanes[lane.lane] as string, most);
      else drawBox(context, lane, box, top, height, colours);
      if (selected === box.row) outline(context, box, top, height, colours);
    }
  }
}

/** Many rows in few pixels: the higher the bar, the more of them. */
function drawStretch(context: Context, box: Box, top: number, height: number, colour: string, most: number): void {
  const share = Math.max(0.25, Math.log1p(box.row.count) / Math.log1p(most));
  context.globalAlpha = 0.6;
  context.fillStyle = colour;
  context.fillRect(box.x, top + height * (1 - share), Math.max(2, box.width), height * share);
  context.globalAlpha = 1;
}

function drawBox(context: Context, lane: LaneShape, box: Box, top: number, height: number, colours: Colours): void {
  const colour = colourOf(lane.lane, box.row, colours);
  const isPoint = box.width === POINT_WIDTH && box.row.end_ms === null;
  const x = isPoint ? box.x : Math.max(box.x, -4);
  const width = isPoint ? POINT_WIDTH : Math.min(box.x + box.width, box.room + Math.max(box.x, 0) + 4000) - x;
  if (isPoint) drawPoint(context, lane.lane, box.row, x, top, height, colour, colours);
  else drawSpan(context, x, top, Math.max(2, width - 1), height, colour, box.row.label ?? 'recorded');
  if (box.row.kind === 'repeated') mark(context, x, top, width, height, colours.error);
  const inset = isPoint ? POINT_WIDTH + 5 : 6;
  const from = Math.max(x, 0) + inset;
  const room = (isPoint || lane.lane === 'findings' ? box.room : Math.min(box.room, x + width - Math.max(x, 0))) - inset - 4;
  drawText(context, wordsOf(lane.lane, box.row), from, top + height / 2 + 0.5, room, colours);
}

function wordsOf(lane: string, row: Row): string {
  if (row.kind === 'repeated') return `said again · ${row.title ?? ''}`;
  if (lane === 'speech' && row.kind !== undefined) return `${row.kind}: ${row.title ?? ''}`;
  return row.title ?? '';
}

function colourOf(lane: string, row: Row, colours: Colours): string {
  if (lane === 'findings') return row.kind === 'error' ? colours.error : row.kind === 'warning' ? colours.warning : (colours.lanes['visits'] as string);
  if (lane === 'speech' && row.kind === 'agent') return colours.lanes['playbacks'] as string;
  return colours.lanes[lane] ?? colours.foreground;
}

/** The label by shape, not by colour alone: full, hatched, dashed and empty, dotted. */
export function drawSpan(context: Context, x: number, y: number, width: number, height: number, colour: string, label: Label): void {
  context.save();
  context.beginPath();
  context.roundRect(x + 0.5, y + 0.5, width, height - 1, 3);
  context.strokeStyle = colour;
  context.fillStyle = colour;
  if (label === 'recorded' || label === 'redacted') {
    context.globalAlpha = 0.24;
    context.fill();
    context.globalAlpha = 1;
  }
  if (label === 'unavailable') context.setLineDash([5, 3]);
  if (label === 'simulated') context.setLineDash([1.5, 2.5]);
  context.stroke();
  if (label === 'redacted') {
    context.clip();
    hatch(context, x, y, width, height, colour, 7);
  }
  context.restore();
}

function hatch(context: Context, x: number, y: number, width: number, height: number, colour: string, gap: number): void {
  context.strokeStyle = colour;
  context.globalAlpha = 0.55;
  context.beginPath();
  for (let at = x - height; at < x + width; at += gap) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.globalAlpha = 1;
}

/** A playback that was said before: a bar at its left and a second frame. */
function mark(context: Context, x: number, y: number, width: number, height: number, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(x, y, 4, height);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(x + 1, y + 1, Math.max(2, width - 3), height - 2);
  context.lineWidth = 1;
}

function drawPoint(context: Context, lane: string, row: Row, x: number, y: number, height: number, colour: string, colours: Colours): void {
  const [cx, cy, r] = [x + POINT_WIDTH / 2, y + height / 2, POINT_WIDTH / 2];
  context.save();
  context.beginPath();
  if (lane === 'guards') guardSign(context, row.kind ?? '', cx, cy, r);
  else if (lane === 'transitions') arrow(context, cx, cy, r);
  else if (lane === 'findings') flag(context, x, y + 2, height - 5);
  else if (lane === 'speech') context.roundRect(x, cy - r, POINT_WIDTH, 2 * r, 3);
  else diamond(context, cx, cy, r);
  context.strokeStyle = lane === 'guards' && row.kind === 'false' ? colours.faint : colour;
  context.fillStyle = colour;
  context.lineWidth = 1.5;
  const hollow = row.label === 'unavailable' || lane === 'guards' || row.timed === false;
  if (row.label === 'unavailable') context.setLineDash([2, 2]);
  if (row.label === 'simulated') context.setLineDash([1, 2]);
  if (!hollow) context.fill();
  context.stroke();
  if (row.label === 'redacted') {
    context.clip();
    context.fillStyle = colours.background;
    context.fillRect(cx - 1, cy - r, 2, 2 * r);
  }
  context.restore();
}

function guardSign(context: Context, verdict: string, cx: number, cy: number, r: number): void {
  if (verdict === 'true') {
    context.moveTo(cx - r, cy);
    context.lineTo(cx - r / 4, cy + r * 0.8);
    context.lineTo(cx + r, cy - r * 0.8);
  } else if (verdict === 'false') {
    context.moveTo(cx - r * 0.8, cy - r * 0.8);
    context.lineTo(cx + r * 0.8, cy + r * 0.8);
    context.moveTo(cx + r * 0.8, cy - r * 0.8);
    context.lineTo(cx - r * 0.8, cy + r * 0.8);
  } else context.arc(cx, cy, r * 0.7, 0, 2 * Math.PI);
}

function arrow(context: Context, cx: number, cy: number, r: number): void {
  context.moveTo(cx - r * 0.6, cy - r);
  context.lineTo(cx + r, cy);
  context.lineTo(cx - r * 0.6, cy + r);
  context.closePath();
}

function flag(context: Context, x: number, y: number, height: number): void {
  context.moveTo(x + 1, y);
  context.lineTo(x + POINT_WIDTH, y + height / 3.4);
  context.lineTo(x + 1, y + height / 1.8);
  context.lineTo(x + 1, y + height);
  context.closePath();
}

function diamond(context: Context, cx: number, cy: number, r: number): void {
  context.moveTo(cx, cy - r);
  context.lineTo(cx + r, cy);
  context.lineTo(cx, cy + r);
  context.lineTo(cx - r, cy);
  context.closePath();
}

function outline(context: Context, box: Box, top: number, height: number, colours: Colours): void {
  context.strokeStyle = colours.selection;
  context.lineWidth = 2;
  context.strokeRect(Math.max(box.x - 2, 1), top - 1.5, Math.min(box.width + 3, 1e5), height + 3);
  context.lineWidth = 1;
}

function drawText(context: Context, text: string, x: number, y: number, room: number, colours: Colours): void {
  if (room < 16 || text === '') return;
  context.font = `11.5px ${colours.font}`;
  context.fillStyle = colours.foreground;
  context.fillText(cut(context, text, room), x, y);
}

/** As much of a text as fits, with an ellipsis. */
function cut(context: Context, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let low = 0;
  let high = Math.min(text.length, Math.ceil(room / 3));
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low > 1 ? `${text.slice(0, low).trimEnd()}…` : '';
}
