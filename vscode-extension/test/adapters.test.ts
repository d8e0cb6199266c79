import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findAdapter, type Places, type Run } from '../src/adapters';
import { missingAdapter } from '../src/words';

const root = mkdtempSync(join(tmpdir(), 'adapters-'));
after(() => rmSync(root, { recursive: true }));

function program(path: string, text = '#!/bin/sh\necho spd-dap 1\n'): string {
  const full = join(root, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, text);
  chmodSync(full, 0o755);
  return full;
}

const starts: Run = () => Promise.resolve({ ok: true, said: '' });
const fails: Run = () => Promise.resolve({ ok: false, said: 'No module named x' });
const nowhere: Places = { setting: '', interpreter: undefined, searchPath: '', folders: [], isWindows: false };

const python = program('env/bin/python');
const beside = program('env/bin/spd-dap');
const onPath = program('path/spd-dap');
const inside = program('work/.venv/bin/spd-dap');
const bare = program('bare/python3');

test('the best place decides: setting, interpreter, PATH, .venv', async () => {
  const all: Places = {
    ...nowhere,
    setting: program('mine/spd-dap'),
    interpreter: python,
    searchPath: join(root, 'path'),
    folders: [join(root, 'work')],
  };
  const orders: [Partial<Places>, string][] = [
    [{}, join(root, 'mine/spd-dap')],
    [{ setting: '' }, beside],
    [{ setting: '', interpreter: undefined }, onPath],
    [{ setting: '', interpreter: undefined, searchPath: '' }, inside],
  ];
  for (const [change, command] of orders) {
    const found = await findAdapter({ ...all, ...change }, starts);
    assert('adapter' in found);
    assert.equal(found.adapter.command, command);
  }
});

test('an interpreter that has the module runs it', async () => {
  const found = await findAdapter({ ...nowhere, interpreter: bare }, starts);
  assert('adapter' in found);
  assert.deepEqual([found.adapter.command, found.adapter.args], [bare, ['-m', 'dap_adapter.main']]);
});

test('what is missing is named, with what to do', async () => {
  const cases: [Partial<Places>, Run, string, string[]][] = [
    [{ setting: '/nowhere/spd-dap' }, starts, 'setting', ['Choose spd-dap…', 'Open the Settings']],
    [{ searchPath: join(root, 'path') }, fails, 'broken', ['Choose spd-dap…', 'How to Install']],
    [{ interpreter: bare }, fails, 'no adapter', ['Choose spd-dap…', 'Copy the Command', 'How to Install']],
    [{ searchPath: join(root, 'bare') }, fails, 'no adapter', ['Choose spd-dap…', 'Copy the Command', 'How to Install']],
    [{}, starts, 'no python', ['Get Python', 'Choose spd-dap…', 'How to Install']],
  ];
  for (const [places, run, reason, buttons] of cases) {
    const found = await findAdapter({ ...nowhere, ...places }, run);
    assert('missing' in found);
    assert.equal(found.missing.reason, reason);
    const said = missingAdapter(found.missing);
    assert.deepEqual(said.buttons, buttons);
    assert.match(said.text, /\.$/);
    if (said.command !== undefined) assert(said.text.includes(said.command));
  }
});

test('a program is really started, and its last words are kept', async () => {
  const places = { ...nowhere, setting: beside };
  assert('adapter' in (await findAdapter(places)));
  const broken = program('broken/spd-dap', '#!/bin/sh\necho first >&2\necho "No module named dap" >&2\nexit 1\n');
  const found = await findAdapter({ ...nowhere, setting: broken });
  assert('missing' in found && found.missing.reason === 'broken');
  assert.equal(found.missing.said, 'No module named dap');
  assert(missingAdapter(found.missing).text.includes('No module named dap.'));
});
