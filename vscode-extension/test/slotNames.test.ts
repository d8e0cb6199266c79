import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotMentions, slotOfVariable } from '../src/slotNames';

const SLOTS = new Set(['time', 'party_size', 'größe', 'odd name']);
const named = (line: string): string[] => slotMentions(line, SLOTS).map(({ slot }) => slot);

test('a slot is found where a flow names it', () => {
  const lines: [string, string[]][] = [
    ['content: "{{ party_size }} people at {{ time }}."', ['party_size', 'time']],
    ['prompt: Für {größe} Leute', ['größe']],
    ['when: slots.time == "18:00" && slots["odd name"] != null', ['time', 'odd name']],
    ['  time: {type: string}', ['time']],
    ['  - time', ['time']],
    ['  - slot: time', ['time']],
    ['    slot: party_size', ['party_size']],
  ];
  for (const [line, slots] of lines) assert.deepEqual(named(line), slots, line);
});

test('a word of a sentence is no slot', () => {
  for (const line of ['content: Ask for the time, then check it.', 'description: another time', '', 'x: {times: 3}']) {
    assert.deepEqual(named(line), [], line);
  }
});

test('a mention is where the name stands, and is there once', () => {
  const line = '{{ time }} or {{ time }}';
  assert.deepEqual(slotMentions(line, SLOTS), [{ slot: 'time', start: 3, end: 7 }]);
});

test('a variable names its slot by its expression, else by its name', () => {
  assert.equal(slotOfVariable({ name: 'value', evaluateName: 'slots["a \\"b\\""]["c"]' }), 'a "b"');
  assert.equal(slotOfVariable({ name: 'time', evaluateName: 'slots["time"]' }), 'time');
  assert.equal(slotOfVariable({ name: 'time' }), 'time');
});
