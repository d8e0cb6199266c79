// The inspector below the lanes: what the selected row is. Everything of the call is set as text.
import type { Row, TimelineHost } from './host';
import { labelText, LANE_NAMES, rowText } from './words';

interface PlaybackRow {
  readonly visit_id: string | null;
  readonly source_kind: string | null;
  readonly content_fingerprint: string | null;
  readonly acknowledged: boolean;
  readonly planned: string | null;
  readonly heard: string | null;
  readonly heard_reason: string | null;
  readonly stages: { readonly requested: { readonly event_index: number; readonly event_id: string } | null };
}

interface VariableRow {
  readonly slot: string;
  readonly entry: unknown;
  readonly current: unknown;
  readonly recorded_exit: unknown;
  readonly label: string;
  readonly entry_label: string;
  readonly exit_label: string;
}

export class Detail {
  private shown = 0;

  constructor(
    private readonly element: HTMLElement,
    private readonly host: TimelineHost,
    private readonly go: (eventIndex: number) => void,
  ) {}

  clear(): void {
    this.shown += 1;
    this.element.replaceChildren();
  }

  async show(row: Row, lane: string): Promise<void> {
    this.shown += 1;
    const ticket = this.shown;
    const head = document.createElement('p');
    head.className = 'detail-head';
    head.append(bold(LANE_NAMES[lane] ?? lane), ` ${rowText(row, lane)} `, chip(row));
    this.element.replaceChildren(head, this.goButton(`Go to #${row.event_index}`, row.event_index));
    const more = row.count > 1 ? [] : await this.more(row, lane).catch(() => []);
    if (ticket === this.shown) this.element.append(...more);
  }

  private async more(row: Row, lane: string): Promise<Node[]> {
    if (lane === 'playbacks' && row.id) return this.playback(row.id);
    if (lane === 'visits') return this.slots(row);
    return [];
  }

  private async playback(id: string): Promise<Node[]> {
    const { items } = await this.host.query<{ items: PlaybackRow[] }>({ action: 'playback', playback_id: id });
    const item = items[0];
    if (item === undefined) return [];
    const requested = item.stages.requested;
    const facts = list([
      ['Visit', item.visit_id ?? 'unavailable'],
      ['Source', item.source_kind ?? 'unavailable'],
      ['Content fingerprint', item.content_fingerprint ?? 'unavailable: not recorded'],
      ['Client acknowledgement', item.acknowledged ? 'recorded' : 'unavailable: not recorded'],
      ['Planned', item.planned ?? 'unavailable'],
      ['Heard', item.heard ?? `unavailable: ${(item.heard_reason ?? 'not recorded').replaceAll('_', ' ')}`],
    ]);
    return requested === null ? [facts] : [this.goButton(`Go to its request, #${requested.event_index}`, requested.event_index), facts];
  }

  private async slots(row: Row): Promise<Node[]> {
    const cursor = row.end_index ?? row.event_index;
    const { items } = await this.host.query<{ items: VariableRow[] }>({ action: 'inspect_variables', cursor });
    const known = items.filter((item) => item.label !== 'unavailable' || item.entry_label !== 'unavailable');
    if (known.length === 0) return [];
    return [list(known.map((item) => [item.slot, `${worded(item.entry, item.entry_label)} at entry, ${worded(item.current, item.label)} at its end`]))];
  }

  private goButton(words: string, eventIndex: number): HTMLButtonElement {
    const button = document.createElement('button');
    button.textContent = words;
    button.className = 'secondary';
    button.addEventListener('click', () => this.go(eventIndex));
    return button;
  }
}

function worded(value: unknown, label: string): string {
  return label === 'unavailable' ? 'unavailable' : typeof value === 'string' ? value : JSON.stringify(value);
}

function bold(words: string): HTMLElement {
  const element = document.createElement('strong');
  element.textContent = words;
  return element;
}

function chip(row: Row): HTMLElement {
  const element = document.createElement('span');
  element.className = `chip ${row.label ?? 'recorded'}`;
  element.textContent = labelText(row);
  return element;
}

function list(pairs: readonly (readonly [string, string])[]): HTMLElement {
  const element = document.createElement('dl');
  for (const [name, value] of pairs) {
    const term = document.createElement('dt');
    const words = document.createElement('dd');
    term.textContent = name;
    words.textContent = value;
    element.append(term, words);
  }
  return element;
}
