// Which part of the call is shown, and where a millisecond lies on the screen. Values never change:
// every move gives another viewport.

export const SHORTEST_MS = 200;

export interface Viewport {
  readonly fromMs: number;
  readonly toMs: number;
  /** The whole call: nothing outside is shown. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly width: number;
}

export function wholeCall(firstMs: number, lastMs: number, width: number): Viewport {
  const last = Math.max(lastMs, firstMs + SHORTEST_MS);
  return { fromMs: firstMs, toMs: last, firstMs, lastMs: last, width: Math.max(1, width) };
}

export function xOf(view: Viewport, ms: number): number {
  return ((ms - view.fromMs) / (view.toMs - view.fromMs)) * view.width;
}

export function msAt(view: Viewport, x: number): number {
  return view.fromMs + (x / view.width) * (view.toMs - view.fromMs);
}

/** Show `length` ms from `fromMs` on, kept inside the call. */
function shown(view: Viewport, fromMs: number, length: number): Viewport {
  const whole = view.lastMs - view.firstMs;
  const kept = Math.min(Math.max(length, Math.min(SHORTEST_MS, whole)), whole);
  const from = Math.min(Math.max(fromMs, view.firstMs), view.lastMs - kept);
  return { ...view, fromMs: from, toMs: from + kept };
}

/** Zoom by `factor` (above 1: closer); `anchorMs` stays where it is on the screen. */
export function zoomed(view: Viewport, factor: number, anchorMs: number): Viewport {
  const length = (view.toMs - view.fromMs) / factor;
  const share = (anchorMs - view.fromMs) / (view.toMs - view.fromMs);
  return shown(view, anchorMs - share * length, length);
}

export function panned(view: Viewport, ms: number): Viewport {
  return shown(view, view.fromMs + ms, view.toMs - view.fromMs);
}

export function resized(view: Viewport, width: number): Viewport {
  return { ...view, width: Math.max(1, width) };
}

/** Bring `ms` into view: not at all where it is well inside, else to a third of the window. */
export function following(view: Viewport, ms: number): Viewport {
  const length = view.toMs - view.fromMs;
  const inside = ms >= view.fromMs + length * 0.04 && ms <= view.toMs - length * 0.04;
  return inside ? view : shown(view, ms - length / 3, length);
}

const STEPS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000];

/** Milliseconds between two labelled marks of the ruler: at least 72 pixels apart. */
export function rulerStep(view: Viewport): number {
  const least = ((view.toMs - view.fromMs) / view.width) * 72;
  return STEPS.find((step) => step >= least) ?? 7_200_000;
}
