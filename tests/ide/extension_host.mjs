// Opens the workbench with the extension-host tests in it, and waits until they are done.
// usage: node extension_host.mjs MODULES URL SHOTS
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tell } from './workbench.mjs';

const [modules, url, shots] = process.argv.slice(2);
const workspace = new URL(url).searchParams.get('folder');

await tell({ modules, url, shots, name: 'extension-host' }, async (w) => {
  await w.until('the end of the tests', () => existsSync(join(workspace, 'extension-host.jsonl')), 90_000);
  await w.shown('the extension-host tests', { pictures: false });
});
