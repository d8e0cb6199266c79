// Search in the call: the core finds, the list goes there.
import { clockText } from './clock';
import type { TimelineHost } from './host';
import { element, type Elements } from './markup';

interface Hit {
  readonly event_index: number;
  readonly clock_ms: number | null;
  readonly what: string;
}

const SHOWN = 50;

export class Search {
  private hits: readonly Hit[] = [];
  private chosen = 0;
  private asked = 0;

  constructor(private readonly elements: Elements, private readonly host: TimelineHost, private readonly go: (index: number) => void) {
    elements.search.addEventListener('input', () => void this.find());
    elements.search.addEventListener('keydown', (event) => this.key(event));
    elements.search.addEventListener('blur', () => setTimeout(() => this.close(), 150));
  }

  focus(): void {
    this.elements.search.focus();
    this.elements.search.select();
  }

  private async find(): Promise<void> {
    const text = this.elements.search.value.trim();
    this.asked += 1;
    const ticket = this.asked;
    if (text === '') return this.close();
    try {
      const { items, total } = await this.host.query<{ items: Hit[]; total: number }>({ action: 'search', text, limit: SHOWN });
      if (ticket === this.asked) this.show(items, total);
    } catch (error) {
      if (ticket === this.asked) this.lines([element('div', '', {}, [error instanceof Error ? error.message : String(error)])]);
    }
  }

  private show(items: readonly Hit[], total: number): void {
    this.hits = items;
    this.chosen = 0;
    const lines = items.map((hit, at) => {
      const when = hit.clock_ms === null ? '' : `${clockText(hit.clock_ms)} · `;
      const line = element('div', `hit-${at}`, { role: 'option', 'aria-selected': String(at === 0) }, [`${when}#${hit.event_index} · ${hit.what}`]);
      line.addEventListener('mousedown', () => this.take(at));
      return line;
    });
    if (items.length === 0) lines.push(element('div', '', {}, ['Nothing found in this call.']));
    if (total > items.length) lines.push(element('div', '', {}, [`${total - items.length} more: search for something longer.`]));
    this.lines(lines);
  }

  private lines(lines: readonly HTMLElement[]): void {
    this.elements.results.replaceChildren(...lines);
    this.elements.results.hidden = false;
    this.elements.search.setAttribute('aria-expanded', 'true');
    this.mark();
  }

  private mark(): void {
    this.elements.search.setAttribute('aria-activedescendant', this.hits.length ? `hit-${this.chosen}` : '');
    for (const [at, line] of [...this.elements.results.children].entries()) {
      if (line.getAttribute('role') === 'option') line.setAttribute('aria-selected', String(at === this.chosen));
    }
    this.elements.results.children[this.chosen]?.scrollIntoView({ block: 'nearest' });
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter') this.take(this.chosen);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      this.chosen = Math.min(Math.max(this.chosen + step, 0), Math.max(0, this.hits.length - 1));
      this.mark();
      event.preventDefault();
    }
  }

  private take(at: number): void {
    const hit = this.hits[at];
    if (hit === undefined) return;
    this.close();
    this.go(hit.event_index);
  }

  private close(): void {
    this.elements.results.hidden = true;
    this.elements.search.setAttribute('aria-expanded', 'false');
  }
}
