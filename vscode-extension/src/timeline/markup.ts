// The page's elements, made once. Ids and roles are what tests and screen readers find them by.
import { drawSpan, SHAPES, laneHeight } from './draw';
import type { Label } from './host';
import { colours } from './theme';
import { LANE_NAMES } from './words';

export const RULER_HEIGHT = 24;

export interface Elements {
  readonly play: HTMLButtonElement;
  readonly back: HTMLButtonElement;
  readonly ahead: HTMLButtonElement;
  readonly zoomIn: HTMLButtonElement;
  readonly zoomOut: HTMLButtonElement;
  readonly fit: HTMLButtonElement;
  readonly time: HTMLElement;
  readonly place: HTMLElement;
  readonly move: HTMLElement;
  readonly what: HTMLElement;
  readonly search: HTMLInputElement;
  readonly results: HTMLElement;
  readonly status: HTMLElement;
  readonly names: HTMLElement;
  readonly area: HTMLElement;
  readonly ruler: HTMLCanvasElement;
  readonly waves: HTMLElement;
  readonly waveNames: HTMLElement;
  readonly lanes: HTMLCanvasElement;
  readonly cursor: HTMLElement;
  readonly scrub: HTMLElement;
  readonly scroll: HTMLInputElement;
  readonly detail: HTMLElement;
  readonly said: HTMLElement;
  readonly legend: HTMLElement;
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name, id: string, attributes: Readonly<Record<string, string>> = {}, children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (id) made.id = id;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function button(id: string, words: string, label: string): HTMLButtonElement {
  return element('button', id, { type: 'button', 'aria-label': label, title: label }, [words]);
}

const HELP = 'Space: play or pause. Left, Right: one event back or forward. Up, Down: choose a lane. Comma, full stop: the row before or after in it. Enter: go to the row. Plus, minus: zoom. 0: whole call. Shift and Left or Right: scroll. Home, End: start or end of the recording. N: next finding. Slash: search.';

export function build(root: HTMLElement): Elements {
  const made: Elements = {
    play: button('play', '▶ Play', 'Play the recorded audio (Space)'),
    back: button('back', '◀ Back', 'One event back (Left)'),
    ahead: button('ahead', 'Forward ▶', 'One event forward (Right)'),
    zoomIn: button('zoom-in', '+', 'Zoom in (+)'),
    zoomOut: button('zoom-out', '−', 'Zoom out (-)'),
    fit: button('fit', 'Whole call', 'Show the whole call (0)'),
    time: element('span', 'time', { class: 'time' }, ['00:00.0']),
    place: element('span', 'place'),
    move: element('span', 'move'),
    what: element('span', 'what'),
    search: element('input', 'search', { type: 'search', placeholder: 'Search this call', 'aria-label': 'Search the transcript, event types and ids', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'results', maxlength: '200' }),
    results: element('div', 'results', { role: 'listbox', 'aria-label': 'Search results', hidden: '' }),
    status: element('p', 'status', { role: 'status' }),
    names: element('div', 'names', { 'aria-hidden': 'true' }),
    area: element('div', 'area', { tabindex: '0', role: 'group', 'aria-label': 'Call timeline', 'aria-describedby': 'help' }),
    ruler: element('canvas', 'ruler', { 'aria-hidden': 'true' }),
    waves: element('div', 'waves'),
    waveNames: element('div', 'wave-names'),
    lanes: element('canvas', 'lanes', { role: 'img', 'aria-label': 'Lanes of the call' }),
    cursor: element('div', 'cursor', { 'aria-hidden': 'true' }),
    scrub: element('div', 'scrub', { role: 'slider', tabindex: '0', 'aria-label': 'Position in the call', 'aria-valuemin': '0' }),
    scroll: element('input', 'scroll', { type: 'range', min: '0', max: '1000', value: '0', 'aria-label': 'Scroll along the call' }),
    detail: element('section', 'detail', { 'aria-label': 'Selected row' }),
    said: element('div', 'said', { 'aria-live': 'polite', class: 'unseen' }),
    legend: element('div', 'legend', { 'aria-label': 'How evidence is drawn' }),
  };
  const tools = element('div', 'tools', { role: 'toolbar', 'aria-label': 'Playback and view' }, [
    made.back, made.play, made.ahead, made.time,
    element('span', '', { class: 'gap' }), made.search, made.results,
    made.zoomOut, made.zoomIn, made.fit,
  ]);
  const where = element('p', 'where', {}, [made.place, made.move, made.what]);
  made.names.append(element('div', '', { class: 'ruler-name' }), made.waveNames, ...SHAPES.map(nameOf));
  made.area.append(made.ruler, made.waves, made.lanes, made.cursor, made.scrub);
  const board = element('div', 'board', {}, [made.names, made.area]);
  const help = element('p', 'help', { class: 'unseen' }, [HELP]);
  const head = element('header', 'head', {}, [tools, where, made.status]);
  root.replaceChildren(head, board, made.scroll, made.legend, made.detail, help, made.said);
  return made;
}

function nameOf(shape: (typeof SHAPES)[number]): HTMLElement {
  const name = element('div', '', { class: 'lane-name', 'data-lane': shape.lane }, [LANE_NAMES[shape.lane] ?? shape.lane]);
  name.style.height = `${laneHeight(shape)}px`;
  return name;
}

/** Draw the legend's swatches as the lanes draw their spans. */
export function drawLegend(legend: HTMLElement): void {
  const look = colours();
  const words: readonly (readonly [Label, string])[] = [
    ['recorded', 'recorded'],
    ['redacted', 'redacted: hatched'],
    ['unavailable', 'unavailable: dashed, empty'],
    ['simulated', 'simulated: dotted'],
  ];
  legend.replaceChildren(
    ...words.map(([label, text]) => {
      const swatch = element('canvas', '', { width: '56', height: '28', class: 'swatch' });
      const context = swatch.getContext('2d');
      if (context !== null) {
        context.scale(2, 2);
        drawSpan(context, 1, 1, 25, 12, look.lanes['visits'] as string, label);
      }
      return element('span', '', { class: 'legend-item' }, [swatch, text]);
    }),
    element('span', '', { class: 'legend-item' }, ['✓ ✗ guard true, false']),
    element('span', '', { class: 'legend-item' }, ['double frame: said again']),
  );
}
