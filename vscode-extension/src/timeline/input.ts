// Mouse, wheel and keys of the page, each turned into one move of the timeline.
import type { Timeline } from './timeline';
import { msAt, panned, wholeCall, zoomed } from './viewport';

const DRAG_PX = 4;

export function listen(timeline: Timeline): void {
  const { elements } = timeline;
  elements.play.addEventListener('click', () => void timeline.togglePlay());
  elements.back.addEventListener('click', () => timeline.step(-1));
  elements.ahead.addEventListener('click', () => timeline.step(1));
  elements.zoomIn.addEventListener('click', () => zoom(timeline, 2));
  elements.zoomOut.addEventListener('click', () => zoom(timeline, 0.5));
  elements.fit.addEventListener('click', () => fit(timeline));
  elements.scroll.addEventListener('input', () => {
    const { view } = timeline;
    const spare = view.lastMs - view.firstMs - (view.toMs - view.fromMs);
    timeline.look(panned(view, view.firstMs + (spare * Number(elements.scroll.value)) / 1000 - view.fromMs));
  });
  elements.area.addEventListener('wheel', (event) => onWheel(timeline, event), { passive: false });
  document.addEventListener('keydown', (event) => onKey(timeline, event));
  scrubbing(timeline);
  dragging(timeline);
}

function zoom(timeline: Timeline, factor: number): void {
  const { view } = timeline;
  const at = timeline.mediaMs;
  const inside = at >= view.fromMs && at <= view.toMs;
  timeline.look(zoomed(view, factor, inside ? at : (view.fromMs + view.toMs) / 2));
}

function fit(timeline: Timeline): void {
  const { firstMs, lastMs, width } = timeline.view;
  timeline.look(wholeCall(firstMs, lastMs, width));
}

function xIn(timeline: Timeline, event: MouseEvent): number {
  return event.clientX - timeline.elements.area.getBoundingClientRect().left;
}

function onWheel(timeline: Timeline, event: WheelEvent): void {
  const { view } = timeline;
  const perPixel = (view.toMs - view.fromMs) / view.width;
  if (event.ctrlKey || event.metaKey) {
    timeline.look(zoomed(view, Math.exp(-event.deltaY / 240), msAt(view, xIn(timeline, event))));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    timeline.look(panned(view, (event.deltaX || event.deltaY) * perPixel));
  } else return;
  event.preventDefault();
}

function scrubbing(timeline: Timeline): void {
  const { scrub } = timeline.elements;
  scrub.addEventListener('pointerdown', (event) => {
    scrub.setPointerCapture(event.pointerId);
    timeline.scrub(msAt(timeline.view, xIn(timeline, event)), false);
  });
  scrub.addEventListener('pointermove', (event) => {
    if (scrub.hasPointerCapture(event.pointerId)) timeline.scrub(msAt(timeline.view, xIn(timeline, event)), false);
  });
  scrub.addEventListener('pointerup', (event) => timeline.scrub(msAt(timeline.view, xIn(timeline, event)), true));
}

/** A drag over the lanes scrolls; a click chooses. */
function dragging(timeline: Timeline): void {
  const { lanes } = timeline.elements;
  let from: { x: number; view: Timeline['view'] } | null = null;
  let moved = false;
  lanes.addEventListener('pointerdown', (event) => {
    from = { x: event.clientX, view: timeline.view };
    moved = false;
    lanes.setPointerCapture(event.pointerId);
  });
  lanes.addEventListener('pointermove', (event) => {
    if (from === null) return;
    const dx = event.clientX - from.x;
    if (!moved && Math.abs(dx) < DRAG_PX) return;
    moved = true;
    timeline.look(panned({ ...from.view, width: timeline.view.width }, (-dx * (from.view.toMs - from.view.fromMs)) / from.view.width));
  });
  lanes.addEventListener('pointerup', (event) => {
    from = null;
    const top = lanes.getBoundingClientRect().top;
    if (!moved) timeline.pick(xIn(timeline, event), event.clientY - top);
  });
  lanes.addEventListener('pointercancel', () => {
    from = null;
  });
}

function onKey(timeline: Timeline, event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === 'INPUT') return;
  const onButton = target.tagName === 'BUTTON' && (event.key === ' ' || event.key === 'Enter');
  if (onButton) return;
  const act = event.shiftKey ? SHIFTED[event.key] ?? KEYS[event.key] : KEYS[event.key];
  if (act === undefined) return;
  act(timeline);
  event.preventDefault();
}

const quarter = (timeline: Timeline, way: 1 | -1): void => timeline.scroll((way * (timeline.view.toMs - timeline.view.fromMs)) / 4);

const SHIFTED: Readonly<Record<string, (timeline: Timeline) => void>> = {
  ArrowLeft: (timeline) => quarter(timeline, -1),
  ArrowRight: (timeline) => quarter(timeline, 1),
};

const KEYS: Readonly<Record<string, (timeline: Timeline) => void>> = {
  ' ': (timeline) => void timeline.togglePlay(),
  ArrowLeft: (timeline) => timeline.step(-1),
  ArrowRight: (timeline) => timeline.step(1),
  ArrowUp: (timeline) => timeline.chooseLane(-1),
  ArrowDown: (timeline) => timeline.chooseLane(1),
  ',': (timeline) => timeline.chooseNeighbour(-1),
  '.': (timeline) => timeline.chooseNeighbour(1),
  Enter: (timeline) => timeline.goToSelected(),
  '+': (timeline) => zoom(timeline, 2),
  '=': (timeline) => zoom(timeline, 2),
  '-': (timeline) => zoom(timeline, 0.5),
  '0': fit,
  Home: (timeline) => void timeline.go({ edge: 'start' }),
  End: (timeline) => void timeline.go({ edge: 'end' }),
  n: (timeline) => void timeline.nextFinding(),
  '/': (timeline) => timeline.focusSearch(),
};
