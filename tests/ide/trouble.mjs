// What goes wrong is said once, with the next step as a button.
// usage: node trouble.mjs MODULES URL SHOTS
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { tell } from './workbench.mjs';

const [modules, url, shots] = process.argv.slice(2);
const workspace = new URL(url).searchParams.get('folder');
const settings = join(workspace, '.vscode/settings.json');

function says(text, ...parts) {
  for (const part of parts) assert(text.includes(part), `'${part}' in: ${text}`);
}

await tell({ modules, url, shots, name: 'trouble' }, async (w) => {
  const { page } = w;

  // No adapter: the workspace's setting names a program that is not there.
  await w.openFile('drifted/flow/flow.yaml', 3);
  await w.start(w.messageWith('stateProgram.adapter.path'));
  const missing = await w.message('stateProgram.adapter.path');
  says(missing, 'there is no program', 'Choose spd-dap…', 'Open the Settings');
  await w.shown('no adapter');
  await w.press('Open the Settings');
  await page.locator('.settings-editor .setting-item', { hasText: 'Adapter: Path' }).first().waitFor();
  await w.shown('the setting to mend');
  await page.keyboard.press('Escape');
  rmSync(settings);

  // A broken recording.
  await w.openFile('broken/manifest.json', 1);
  await w.start(w.messageWith('SESSION_INVALID'));
  const broken = await w.message('SESSION_INVALID');
  says(broken, 'manifest.json', 'Open the Place');
  assert(!broken.includes('launch.json'), broken);
  await w.shown('a broken recording');
  await w.press('Open the Place');
  await page.locator('.tab.active', { hasText: 'manifest.json' }).waitFor();

  // A flow file that was changed after the call.
  await w.openFile('drifted/manifest.json', 1);
  await w.startCall();
  const drifted = await w.message('not the flow that ran');
  says(drifted, 'flow.yaml was changed', 'Compare', 'Show the Flow as It Ran');
  await w.shown('a flow file that drifted');
  await w.press('Compare');
  await page.locator('.tab.active', { hasText: 'as it ran' }).waitFor();
  await w.shown('the flow as it ran and now');
  await page.locator('.debug-toolbar .action-label[aria-label^="Stop"]').first().click();
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
});
