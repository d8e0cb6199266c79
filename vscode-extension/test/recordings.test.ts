import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { recordingName, recordingOf } from '../src/recordings';

const root = mkdtempSync(join(tmpdir(), 'recordings-'));
after(() => rmSync(root, { recursive: true }));

function file(path: string, text = ''): string {
  const full = join(root, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, text);
  return full;
}

const stream = file('calls/one/trace_events.jsonl');
const flow = file('calls/one/flow/flow.yaml');

test('a session directory is found from itself and from every file in it', () => {
  const session = { kind: 'session directory', path: join(root, 'calls/one') };
  for (const path of [join(root, 'calls/one'), join(root, 'calls/one/flow'), stream, flow]) {
    assert.deepEqual(recordingOf(path, root), session);
  }
});

test('looking upwards ends at the root, and at the own folder without one', () => {
  assert.equal(recordingOf(flow), undefined);
  assert.equal(recordingOf(flow, join(root, 'calls/one/flow')), undefined);
  assert.equal(recordingOf(join(root, 'calls'), root), undefined);
});

test('a broken session directory is one still', () => {
  file('broken/manifest.json', 'oops');
  const stream = file('broken/bus_events.jsonl');
  assert.equal(recordingOf(stream, root)?.kind, 'session directory');
  assert.equal(recordingOf(file('web/manifest.json', '{"name": "a page"}'), root), undefined);
});

test('an artifact is known by its schema, at the start or the end of a large file', () => {
  const schema = '"schema":"riff.state_program_debugger/v1"';
  const small = file('small.json', `{${schema}}`);
  const large = file('large.json', `{"events":"${'x'.repeat(20_000)}",${schema},"visits":[]}`);
  assert.deepEqual(recordingOf(small, root), { kind: 'artifact', path: small });
  assert.deepEqual(recordingOf(large, root), { kind: 'artifact', path: large });
});

test('files of other tools are importable; other files are nothing', () => {
  for (const name of ['a.whisk', 'checkpoints.sqlite', 'B.WHISK']) {
    assert.equal(recordingOf(file(`other/${name}`), root)?.kind, 'importable file');
  }
  assert.equal(recordingOf(file('other/tracker.json', '{"sender_id": "a", "events": []}'), root)?.kind, 'importable file');
  for (const name of ['notes.md', 'package.json', 'bot.py']) {
    assert.equal(recordingOf(file(`other/${name}`, '{}'), root), undefined);
  }
  assert.equal(recordingOf(join(root, 'gone.json'), root), undefined);
});

test('a name is short below the root', () => {
  assert.equal(recordingName(join(root, 'calls/one'), root), join('calls', 'one'));
  assert.equal(recordingName('/elsewhere/two', root), 'two');
  assert.equal(recordingName(root, root), root.split('/').at(-1));
});
