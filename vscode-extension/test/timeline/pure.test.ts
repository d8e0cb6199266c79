// The page's logic that needs no browser: look-ups, viewports, layout, words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockTable, clockText } from '../../src/timeline/clock';
import type { Place, Row } from '../../src/timeline/host';
import { boxAt, neighbour, placed } from '../../src/timeline/layout';
import { following, msAt, panned, resized, rulerStep, SHORTEST_MS, wholeCall, xOf, zoomed } from '../../src/timeline/viewport';
import { labelText, moveText, placeText, rowText } from '../../src/timeline/words';

const row = (event_index: number, start_ms: number | null, end_ms: number | null = null, more: Partial<Row> = {}): Row => ({
  event_index, end_index: null, start_ms, end_ms, count: 1, ...more,
});

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number> {
  for (let value = seed; ; ) {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield value / 2_147_483_648;
  }
}

test('a time leads to the last event at or before it, and ties to the highest', () => {
  const table = new ClockTable([10, 20, 20, 20, 35], [0, 1, 2, 5, 6]);
  assert.deepEqual([9, 10, 19, 20, 34, 35, 99].map((ms) => table.eventAt(ms)), [-1, 0, 0, 5, 5, 6, 6]);
  assert.deepEqual([-1, 0, 1, 3, 4, 5, 6, 9].map((index) => table.mediaAt(index)), [null, 10, 20, 20, 20, 20, 35, 35]);
  assert.equal(new ClockTable([], []).eventAt(5), -1);
  assert.equal(new ClockTable([], []).mediaAt(5), null);
});

test('the binary search is the plain search, on many tables', () => {
  const next = numbers(7);
  const draw = (below: number): number => Math.floor((next.next().value as number) * below);
  for (let round = 0; round < 200; round += 1) {
    let [clock, index] = [0, -1];
    const rows = Array.from({ length: draw(30) }, () => [(clock += draw(3)), (index += 1 + draw(2))] as const);
    const table = new ClockTable(rows.map(([ms]) => ms), rows.map(([, at]) => at));
    for (let ms = -1; ms <= clock + 1; ms += 1) {
      assert.equal(table.eventAt(ms), rows.filter(([at]) => at <= ms).at(-1)?.[1] ?? -1);
    }
    for (let at = -1; at <= index + 1; at += 1) {
      const media = table.mediaAt(at);
      assert.equal(media, rows.filter(([, found]) => found <= at).at(-1)?.[0] ?? null);
      if (media !== null) assert.ok(table.eventAt(media) >= (rows.filter(([, found]) => found <= at).at(-1)?.[1] ?? 0));
    }
  }
});

test('a time reads as the debugger writes it', () => {
  assert.deepEqual([clockText(102_345), clockText(102_345, 3), clockText(-40, 3), clockText(0, 0)], ['01:42.3', '01:42.345', '-00:00.040', '00:00']);
});

test('viewports stay inside the call, and an anchor stays where it is', () => {
  const next = numbers(3);
  let view = wholeCall(0, 60_000, 800);
  for (let round = 0; round < 500; round += 1) {
    const anchor = msAt(view, (next.next().value as number) * 800);
    const before = xOf(view, anchor);
    const factor = 0.5 + (next.next().value as number) * 2;
    const closer = zoomed(view, factor, anchor);
    const length = closer.toMs - closer.fromMs;
    const free = closer.fromMs > 0 && closer.toMs < 60_000 && length > SHORTEST_MS;
    if (free) assert.ok(Math.abs(xOf(closer, anchor) - before) < 1e-6);
    view = panned(closer, ((next.next().value as number) - 0.5) * 10_000);
    assert.ok(view.fromMs >= 0 && view.toMs <= 60_000 && view.toMs - view.fromMs >= SHORTEST_MS - 1e-9);
  }
  const near = zoomed(wholeCall(0, 60_000, 800), 10, 0);
  assert.equal(following(near, 3000), near);
  const moved = following(near, 30_000);
  assert.ok(moved.fromMs < 30_000 && moved.toMs > 30_000);
  assert.equal(resized(near, 0).width, 1);
  assert.equal(wholeCall(5, 5, 100).toMs, 5 + SHORTEST_MS);
});

test('marks of the ruler never touch', () => {
  for (const last of [200, 3000, 60_000, 3_600_000, 36_000_000]) {
    const view = wholeCall(0, last, 800);
    assert.ok((rulerStep(view) / (view.toMs - view.fromMs)) * view.width >= 72 - 1e-9);
  }
});

test('what overlaps goes to the next line; speakers and depths keep theirs', () => {
  const view = wholeCall(0, 1000, 1000);
  const spans = [row(0, 0, 500), row(1, 400, 700), row(2, 600, 900)];
  assert.deepEqual(placed(spans, 'playbacks', view, 2).map((box) => box.line), [0, 1, 0]);
  const nested = [row(0, 0, 900, { depth: 0 }), row(1, 100, 200, { depth: 1 }), row(2, 300, 400, { depth: 5 })];
  assert.deepEqual(placed(nested, 'visits', view, 2).map((box) => box.line), [0, 1, 1]);
  const said = [row(0, 0, 500, { kind: 'caller' }), row(1, 100, 200, { kind: 'agent' })];
  assert.deepEqual(placed(said, 'speech', view, 2).map((box) => box.line), [0, 1]);
  const [open] = placed([row(0, 100, null)], 'pending', view, 2);
  assert.equal(open?.width, 900, 'work without an end reaches to the end');
});

test('a point is hit with some slack, a span only inside', () => {
  const view = wholeCall(0, 1000, 1000);
  const boxes = placed([row(0, 100, null), row(1, 300, 400)], 'slots', view, 1);
  assert.equal(boxAt(boxes, 98, 0)?.row.event_index, 0);
  assert.equal(boxAt(boxes, 90, 0), null);
  assert.equal(boxAt(boxes, 350, 0)?.row.event_index, 1);
  assert.equal(boxAt(boxes, 350, 1), null);
});

test('rows are walked in call order', () => {
  const rows = [row(0, 10), row(4, 20), row(9, 30)];
  assert.equal(neighbour(rows, null, 1, 15)?.event_index, 4);
  assert.equal(neighbour(rows, null, -1, 15)?.event_index, 0);
  assert.equal(neighbour(rows, rows[1] as Row, 1, 0)?.event_index, 9);
  assert.equal(neighbour(rows, rows[0] as Row, -1, 0), null);
  assert.equal(neighbour([], null, 1, 0), null);
});

test('the words say where, which way and how well it is known', () => {
  assert.equal(moveText(null, 4), '');
  assert.equal(moveText(5, 4), '◀ went back 1 event');
  assert.equal(moveText(-1, 112), '▶ went forward 113 events');
  const place: Place = {
    event_index: 8, media_ms: 659, playing: [], edge: null,
    event: { event_id: 'e8', type: 'audio_started', clock_ms: 659, what: 'playback is started' },
    visit: { visit_id: 'greet#1', state_id: 'greet', status: 'left' },
  };
  assert.equal(placeText(place, 192), '#8 of 191, 00:00.6, greet#1 (left)');
  assert.equal(placeText({ ...place, event: null, event_index: -1, edge: 'start' }, 192), 'Start of recording, before the first event');
  assert.match(placeText({ ...place, edge: 'end' }, 9), /end of recording$/);
  assert.equal(rowText(row(3, 1000, 1000, { text: 'x' }), 'slots'), '00:01.0 · #3 · x');
  assert.match(rowText(row(3, 0, 9, { count: 7 }), 'guards'), /^7 Guards from 00:00.0/);
  assert.equal(labelText(row(0, 0, null, { label: 'unavailable', reason: 'end_not_recorded' })), 'unavailable: end not recorded');
  assert.match(labelText(row(0, 0, null, { label: 'recorded', timed: false })), /own time was not recorded/);
});
