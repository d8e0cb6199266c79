// Bundles the extension and the timeline's page into dist/; with --tests, the tests into out-test/.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const shared = { bundle: true, logLevel: 'warning', legalComments: 'inline', charset: 'utf8' };
const host = { ...shared, platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'] };
const page = { ...shared, platform: 'browser', format: 'iife', target: 'es2022', minify: true };

function testsBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(folder, name));
}

if (process.argv.includes('--tests')) {
  rmSync('out-test', { recursive: true, force: true });
  await build({ ...host, entryPoints: testsBelow('test'), outdir: 'out-test', outbase: 'test' });
} else {
  rmSync('dist', { recursive: true, force: true });
  await build({ ...host, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js' });
  // The page: its style sheets become dist/timeline.css where it imports them.
  if (existsSync('src/timeline/page.ts')) {
    await build({ ...page, entryPoints: { timeline: 'src/timeline/page.ts' }, outdir: 'dist' });
  }
}
