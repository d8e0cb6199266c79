// Makes the pictures of the README from those that the IDE tests took.
// usage: CHROMIUM=/usr/bin/chromium node tools/make_pictures.mjs MODULES SHOTS
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [modules, shots] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(modules, 'x.js'))('playwright-core');
const WIDTH = 960;
const PICTURES = {
  'the-breakpoint': 'continue-to-the-breakpoint-dark',
  'who-wrote-it': 'who-wrote-this-slot-light',
  'the-timeline': 'the-call-timeline-dark',
};

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
for (const [name, stage] of Object.entries(PICTURES)) {
  const file = readdirSync(shots).find((each) => each.startsWith('story-') && each.endsWith(`${stage}.png`));
  const data = readFileSync(join(shots, file)).toString('base64');
  const page = await browser.newPage({ viewport: { width: WIDTH, height: Math.round((WIDTH * 900) / 1400) } });
  await page.setContent(`<body style="margin:0"><img style="width:100%" src="data:image/png;base64,${data}">`);
  await page.locator('img').evaluate((image) => image.decode());
  await page.screenshot({ path: new URL(`../media/${name}.png`, import.meta.url).pathname });
  await page.close();
}
await browser.close();
