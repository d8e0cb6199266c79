// Drives the timeline's page in Chromium. Its host is this script; its data are the real adapter's.
// Environment: ADAPTER, RECORDING, DIST, MODULES, SHOTS; CHROMIUM; BIG=1 measures frame times only.
// Prints one JSON line of what was seen.
import { spawn } from 'node:child_process';
import { createReadStream, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { ADAPTER, RECORDING, DIST, MODULES, SHOTS } = process.env;
const { chromium } = createRequire(join(MODULES, 'package.json'))('playwright-core');
mkdirSync(SHOTS, { recursive: true });

// -- the adapter, over its standard streams ------------------------------------------------------

class Adapter {
  constructor() {
    this.child = spawn(ADAPTER, [], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.buffer = Buffer.alloc(0);
    this.waiting = new Map();
    this.seq = 0;
    this.onStop = () => {};
    this.stops = 0;
    this.child.stdout.on('data', (data) => this.read(data));
  }

  read(data) {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const end = this.buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.buffer.subarray(0, end).toString())[1]);
      if (this.buffer.length < end + 4 + length) return;
      const message = JSON.parse(this.buffer.subarray(end + 4, end + 4 + length).toString());
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.take(message);
    }
  }

  take(message) {
    if (message.type === 'event' && message.event === 'stopped') {
      this.stops += 1;
      this.onStop();
    }
    if (message.type !== 'response') return;
    const { resolve, reject } = this.waiting.get(message.request_seq);
    if (message.success) resolve(message.body);
    else reject(new Error(message.message));
  }

  ask(command, args = {}) {
    this.seq += 1;
    const body = Buffer.from(JSON.stringify({ seq: this.seq, type: 'request', command, arguments: args }));
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
    return new Promise((resolve, reject) => this.waiting.set(this.seq, { resolve, reject }));
  }

  async cursor() {
    return (await this.ask('stateProgram/query', { command: { action: 'timeline', lanes: [] } })).cursor;
  }
}

// -- the page's server: the bundle under a policy as strict as the editor's; audio with ranges -----

const THEMES = {
  light: {},
  dark: {
    '--vscode-editor-background': '#1f1f1f', '--vscode-editor-foreground': '#cccccc', '--vscode-descriptionForeground': '#9d9d9d',
    '--vscode-panel-border': '#3c3c3c', '--vscode-focusBorder': '#2aaaff', '--vscode-button-secondaryBackground': '#313131',
    '--vscode-button-secondaryForeground': '#cccccc', '--vscode-input-background': '#313131', '--vscode-input-border': '#3c3c3c',
    '--vscode-editorWidget-background': '#252526', '--vscode-charts-blue': '#3794ff', '--vscode-charts-purple': '#b180d7',
    '--vscode-charts-green': '#89d185', '--vscode-charts-orange': '#d18616', '--vscode-charts-yellow': '#cca700', '--vscode-charts-red': '#f14c4c',
    '--vscode-badge-background': '#616161',
  },
};
const NONCE = 'dGVzdA==';
const paths = new Map();

function html(theme) {
  const variables = Object.entries(THEMES[theme]).map(([name, value]) => `${name}:${value}`).join(';');
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Call Timeline</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${NONCE}'; style-src 'self' 'nonce-${NONCE}'; media-src 'self' blob:; img-src data:">
<style nonce="${NONCE}">:root{${variables}}</style><link rel="stylesheet" href="/timeline.css"></head>
<body class="vscode-${theme}"><main id="timeline" data-nonce="${NONCE}"></main><script nonce="${NONCE}" src="/timeline.js"></script></body></html>`;
}

function serve(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const name = url.pathname.slice(1);
  if (name === '') return void response.writeHead(200, { 'Content-Type': 'text/html' }).end(html(url.searchParams.get('theme') ?? 'light'));
  if (name === 'timeline.js' || name === 'timeline.css') {
    const type = name.endsWith('.js') ? 'text/javascript' : 'text/css';
    return void response.writeHead(200, { 'Content-Type': type }).end(readFileSync(join(DIST, name)));
  }
  const path = paths.get(decodeURIComponent(name.replace('audio/', '')));
  if (path === undefined) return void response.writeHead(404).end();
  const size = statSync(path).size;
  const [, from = '0', to = ''] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '') ?? [];
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  response.writeHead(request.headers.range ? 206 : 200, {
    'Content-Type': 'audio/wav', 'Accept-Ranges': 'bytes', 'Content-Length': end - Number(from) + 1,
    ...(request.headers.range ? { 'Content-Range': `bytes ${from}-${end}/${size}` } : {}),
  });
  createReadStream(path, { start: Number(from), end }).pipe(response);
}

/** The host object in the page; every call goes to this script. */
function installHost(nonce) {
  const listeners = [];
  window.notify = (notice) => listeners.forEach((listener) => listener(notice));
  const ask = async (method, params) => {
    const answer = await window.ask(method, params);
    if (answer.error) throw new Error(answer.error);
    return answer.value;
  };
  window.stateProgramTimelineHost = {
    nonce,
    query: async (command) => (await ask('query', { command })).result,
    seek: async (place) => (await ask('seek', place)).cursor,
    peaks: (audioId) => ask('peaks', { audioId }),
    audioUrl: async (audioId) => ask('audioUrl', { audioId }),
    audioBytes: async () => { throw new Error('not here'); },
    onNotice: (listener) => listeners.push(listener),
  };
}

const adapter = new Adapter();
const first = new Promise((resolve) => { adapter.onStop = resolve; });
await adapter.ask('initialize', { adapterID: 'state-program' });
await adapter.ask('launch', { recording: RECORDING });
await adapter.ask('configurationDone');
await first;
const server = createServer(serve);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const at = `http://127.0.0.1:${server.address().port}/`;

async function answered(method, params) {
  try {
    if (method !== 'audioUrl') return { value: await adapter.ask(`stateProgram/${method}`, params) };
    const { path } = await adapter.ask('stateProgram/audio', params);
    paths.set(params.audioId, path);
    return { value: `${at}audio/${encodeURIComponent(params.audioId)}` };
  } catch (error) {
    return { error: error.message };
  }
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--mute-audio'],
});
const seen = { errors: [], policy: [] };
async function open(theme, width = 1180, height = 640) {
  const page = await browser.newPage({ viewport: { width, height } });
  page.on('pageerror', (error) => seen.errors.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') seen.policy.push(message.text()); });
  await page.exposeFunction('ask', answered);
  await page.addInitScript(installHost, NONCE);
  adapter.onStop = () => page.evaluate(() => window.notify('stopped')).catch(() => {});
  await page.goto(`${at}?theme=${theme}`);
  page.setDefaultTimeout(Number(process.env.PATIENCE ?? 20000));
  await page.locator('body[data-ready="true"]').waitFor();
  return page;
}
const eventOf = (page) => page.locator('body').getAttribute('data-event').then(Number);
const reached = (page, index) => page.locator(`body[data-event="${index}"]`).waitFor();
const shot = (page, name) => page.screenshot({ path: join(SHOTS, `timeline-${name}.png`) });

async function story() {
  const page = await open('light');
  await page.waitForFunction(() => !document.querySelector('#play').disabled && document.querySelectorAll('.wave').length >= 2);
  await shot(page, 'start');
  seen.first = await eventOf(page);

  // A click on a span: the first playback's `audio_started`.
  const box = await page.locator('#lanes').boundingBox();
  const { result } = await adapter.ask('stateProgram/query', { command: { action: 'timeline' } });
  const lane = (name) => result.lanes.find((row) => row.lane === name).items;
  const playback = lane('playbacks')[3];
  const whole = await page.locator('#scrub').getAttribute('aria-valuemax').then(Number);
  await page.mouse.click(box.x + ((playback.start_ms + playback.end_ms) / 2 / whole) * box.width, box.y + 47);
  await reached(page, playback.event_index);
  seen.clicked = { wanted: playback.event_index, adapter: await adapter.cursor(), detail: await page.locator('#detail').innerText() };
  await page.locator('#detail dl').waitFor();
  await shot(page, 'clicked');

  // The debugger steps: the page follows, and says which way.
  await adapter.ask('stepBack', { threadId: 1 });
  await reached(page, playback.event_index - 1);
  seen.back = await page.locator('#move').innerText();
  await adapter.ask('next', { threadId: 1 });
  await reached(page, playback.event_index);
  seen.ahead = await page.locator('#move').innerText();

  // The audio plays and moves the event cursor and, at the pause, the debugger's.
  await page.locator('#area').focus();
  await page.keyboard.press(' ');
  await page.locator('body[data-playing="true"]').waitFor();
  await page.waitForFunction((from) => Number(document.body.dataset.event) > from, playback.event_index);
  await shot(page, 'playing');
  await page.keyboard.press(' ');
  await page.locator('body[data-playing="false"]').waitFor();
  const paused = await eventOf(page);
  await page.waitForFunction(() => document.querySelector('#place').textContent.startsWith(`#${document.body.dataset.event} of`));
  for (let tries = 0; tries < 50 && (await adapter.cursor()) !== paused; tries += 1) await page.waitForTimeout(20);
  seen.played = { from: playback.event_index, to: paused, adapter: await adapter.cursor() };

  // A step of the debugger pauses the audio.
  await page.keyboard.press(' ');
  await page.locator('body[data-playing="true"]').waitFor();
  await adapter.ask('stepBack', { threadId: 1 });
  await page.locator('body[data-playing="false"]').waitFor();
  const stepped = await adapter.cursor();
  await reached(page, stepped);
  seen.stepPaused = stepped;

  // Keys: a lane, a row, go there; zoom, search, the finding.
  await page.locator('#area').focus();
  for (const key of ['ArrowDown', 'ArrowDown', '.', 'Enter']) await page.keyboard.press(key);
  seen.keys = await page.locator('.lane-name.chosen').getAttribute('data-lane');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await page.waitForTimeout(100);
  await shot(page, 'zoomed');
  await page.keyboard.press('/');
  await page.keyboard.type('seven');
  await page.locator('#results [role=option]').first().waitFor();
  seen.found = await page.locator('#results [role=option]').first().innerText();
  await shot(page, 'search');
  await page.keyboard.press('Enter');
  await page.locator('#results').waitFor({ state: 'hidden' });
  await page.locator('#area').focus();
  await page.keyboard.press('End');
  await reached(page, result.call.events - 1);
  await page.keyboard.press('0');
  await page.keyboard.press('n');
  await page.waitForFunction((end) => Number(document.body.dataset.event) < end, result.call.events - 1);
  seen.finding = await eventOf(page);

  // A reload projects the same event.
  await page.reload();
  await page.locator('body[data-ready="true"]').waitFor();
  seen.reloaded = (await eventOf(page)) === seen.finding;
  seen.aria = await page.locator('#scrub').getAttribute('aria-valuetext');
  await page.close();
  for (const [theme, width] of [['dark', 1180], ['light', 460]]) {
    const other = await open(theme, width, 760);
    await other.waitForFunction(() => document.querySelectorAll('.wave').length >= 2);
    await other.waitForTimeout(100);
    await shot(other, `${theme}-${width}`);
    await other.close();
  }
}

async function measure() {
  const page = await open('light');
  seen.ready = await page.evaluate(() => Math.round(performance.now()));
  seen.waves = await page.waitForFunction(() => document.querySelectorAll('.wave, .wave.empty').length > 0).then(() => true);
  await page.waitForFunction(() => document.querySelector('#wave-names').children.length > 0);
  await page.waitForTimeout(300);
  seen.frames = await page.evaluate(async () => {
    const area = document.querySelector('#area');
    const took = [];
    let before = performance.now();
    for (let at = 0; at < 240; at += 1) {
      const options = { deltaY: at < 60 ? -60 : at < 180 ? 0 : 60, deltaX: at >= 60 && at < 180 ? 40 : 0, ctrlKey: at < 60 || at >= 180, clientX: 500, bubbles: true, cancelable: true };
      area.dispatchEvent(new WheelEvent('wheel', options));
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      took.push(now - before);
      before = now;
    }
    took.sort((a, b) => a - b);
    return { median: took[120], p95: took[228], most: took[239] };
  });
  await shot(page, 'big');
  await page.locator('#fit').click();
  await page.waitForTimeout(300);
  await shot(page, 'big-whole');
}

try {
  await (process.env.BIG ? measure() : story());
} catch (error) {
  seen.failed = error.stack;
  const [page] = browser.contexts().flatMap((context) => context.pages()).slice(-1);
  if (page !== undefined) {
    seen.status = await page.locator('#status').innerText().catch(() => '');
    await shot(page, 'failed').catch(() => {});
  }
} finally {
  await browser.close();
  server.close();
  adapter.child.kill();
}
console.log(JSON.stringify(seen));
