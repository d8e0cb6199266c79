// Drives the workbench in headless Chromium: what the stories share. Every wait is for a state that
// the page shows, never for a time.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PLACE = '.statusbar-item[id$="stateProgram.place"]';
const PATIENCE_MS = 30_000;
const POLL_MS = 50;

export const squeezed = (text) => text.replace(/\s+/g, ' ').trim();

/** Run a story on a page of the workbench; it ends the process: 0 when all went well. */
export async function tell({ modules, url, shots, name }, story) {
  const { chromium } = createRequire(join(modules, 'x.js'))('playwright-core');
  mkdirSync(shots, { recursive: true });
  const profile = mkdtempSync(join(tmpdir(), 'workbench-page-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM,
    headless: true,
    viewport: { width: 1400, height: 900 },
    colorScheme: 'light',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(PATIENCE_MS);
  const workbench = new Workbench(page, shots, name, new URL(url).searchParams.get('folder'));
  let failure;
  try {
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    await page.locator('.monaco-workbench .activitybar').waitFor({ timeout: 2 * PATIENCE_MS });
    await story(workbench);
  } catch (error) {
    failure = error;
    await page.screenshot({ path: join(shots, `${name}-failed.png`) }).catch(() => {});
    console.log(`FAILED after '${workbench.stage}': ${error.stack ?? error}`);
    console.log(JSON.stringify(await workbench.seen().catch(() => 'nothing')));
  }
  await context.close();
  rmSync(profile, { recursive: true, force: true });
  process.exit(failure === undefined ? 0 : 1);
}

class Workbench {
  constructor(page, shots, name, workspace) {
    Object.assign(this, { page, shots, name, workspace, stage: 'start', count: 0, began: Date.now() });
  }

  /** Wait until `look` returns something true; return it. */
  async until(what, look, patienceMs = PATIENCE_MS) {
    const deadline = Date.now() + patienceMs;
    let last;
    while (Date.now() < deadline) {
      try {
        last = await look();
        if (last) return last;
      } catch (error) {
        last = error;
      }
      await this.page.waitForTimeout(POLL_MS);
    }
    assert.fail(`never seen: ${what}; last: ${last}`);
  }

  /** Say what was just seen to be so, and keep pictures of it, light and dark. */
  async shown(stage, { pictures = true, keepsMouse = false } = {}) {
    this.stage = stage;
    console.log(`${((Date.now() - this.began) / 1000).toFixed(1)} s: ${stage}`);
    if (!pictures) return;
    this.count += 1;
    if (!keepsMouse) await this.page.mouse.move(700, 892); // no tooltip in the picture
    const file = `${this.name}-${String(this.count).padStart(2, '0')}-${stage.replace(/\W+/g, '-').toLowerCase()}`;
    for (const scheme of ['dark', 'light']) {
      await this.page.emulateMedia({ colorScheme: scheme });
      await this.page.locator(`.monaco-workbench.${scheme === 'dark' ? 'vs-dark' : 'vs'}`).waitFor();
      await this.page.screenshot({ path: join(this.shots, `${file}-${scheme}.png`), animations: 'disabled' });
    }
  }

  async seen() {
    const texts = async (selector) => (await this.page.locator(selector).allInnerTexts()).map(squeezed);
    return {
      place: await texts(PLACE),
      stack: await texts('.debug-call-stack .monaco-list-row'),
      breakpoints: await texts('.debug-breakpoints .monaco-list-row'),
      variables: await texts('.debug-variables .monaco-list-row'),
      messages: await texts('.notification-list-item-message, .monaco-dialog-box .dialog-message-container'),
    };
  }

  // -- the window ----------------------------------------------------------------------------------

  /** Run a command of the palette by its whole title. A stop that takes the focus closes the palette. */
  async command(title) {
    const input = this.page.locator('.quick-input-widget input').first();
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title.split(': ').pop() }).first();
    await this.until(`the command ${title}`, async () => {
      if (!(await input.isVisible())) await this.page.keyboard.press('F1');
      await input.waitFor({ timeout: 2000 });
      await input.fill(`>${title}`, { timeout: 2000 });
      await row.click({ timeout: 2000 });
      return true;
    });
  }

  /** Choose in a list that a command shows. */
  async pick(text) {
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first().click();
  }

  /** Answer the input box that a command shows. */
  async answer(text) {
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor({ state: 'visible' });
    await input.fill(text);
    await this.page.keyboard.press('Enter');
  }

  /**
   * Open a file of the workspace by its path, at a line. A whole path needs no search, which not
   * every workbench here has. What takes the focus closes the list.
   */
  async openFile(name, line = 1) {
    const input = this.page.locator('.quick-input-widget input').first();
    const path = join(this.workspace, name);
    const last = path.split('/').at(-1);
    const row = this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${last}"]`, { hasText: dirname(name) });
    await this.until(`the file ${name}`, async () => {
      if (!(await input.isVisible())) await this.page.keyboard.press('Control+P');
      await input.waitFor({ timeout: 2000 });
      await input.fill(`${path}:${line}`, { timeout: 2000 });
      await row.first().click({ timeout: 3000 });
      return true;
    });
    await this.lineNumber(line).waitFor();
  }

  /** Press a button of a message or a dialog. */
  async press(label) {
    const selector = '.notifications-toasts .monaco-button, .monaco-dialog-box .monaco-button';
    await this.page.locator(selector, { hasText: label }).first().click();
  }

  /** The text of the message or dialog that holds `part`. */
  async message(part) {
    const found = this.messageWith(part);
    await found.waitFor();
    return squeezed(await found.innerText());
  }

  /** Choose in the open menu; a click right after it opened is taken for the end of the opening one. */
  async choose(menuLabel) {
    const item = this.page.locator('.monaco-menu .action-item', { hasText: menuLabel }).first();
    await item.waitFor();
    await this.until(`the menu's ${menuLabel} is taken`, async () => {
      await item.click({ timeout: 1000 }).catch(() => {});
      return item.waitFor({ state: 'hidden', timeout: 1000 }).then(() => true);
    });
  }

  // -- the editor ----------------------------------------------------------------------------------

  lineNumber(line) {
    const pattern = new RegExp(`^${line}$`);
    return this.page.locator('.editor-instance .margin-view-overlays .line-numbers', { hasText: pattern }).first();
  }

  async gutter(line) {
    const number = await this.lineNumber(line).boundingBox();
    const margin = await this.page.locator('.editor-instance .margin').first().boundingBox();
    return { x: margin.x + 12, y: number.y + number.height / 2 };
  }

  /** Click the gutter until its glyph shows: a click before the contributions are in does nothing. */
  async breakpoint(line) {
    const glyph = this.page.locator('.editor-instance [class*="codicon-debug-breakpoint"]').first();
    await this.lineNumber(line).waitFor();
    await this.until(`a breakpoint on line ${line}`, async () => {
      if (await glyph.isVisible()) return true;
      const { x, y } = await this.gutter(line);
      await this.page.mouse.move(x, y - 1);
      await this.page.mouse.click(x, y);
      return glyph.waitFor({ timeout: 1000 }).then(() => true);
    });
  }

  /** Add a log point by the menu of the gutter. */
  async logPoint(line, message) {
    const { x, y } = await this.gutter(line);
    await this.page.mouse.click(x, y, { button: 'right' });
    await this.choose('Add Logpoint');
    await this.page.locator('.breakpoint-widget .view-lines').first().click();
    await this.page.locator('.breakpoint-widget .monaco-editor.focused').waitFor();
    await this.page.keyboard.insertText(message);
    await this.page.locator('.breakpoint-widget .view-lines', { hasText: message.slice(-6) }).waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator('.breakpoint-widget').waitFor({ state: 'hidden' });
  }

  /** Scroll to a row of the Breakpoints view. */
  async breakpointRow(label) {
    const row = this.page.locator('.debug-breakpoints .monaco-list-row', { hasText: label }).first();
    const view = await this.page.locator('.debug-breakpoints').first().boundingBox();
    await this.page.mouse.move(view.x + 120, view.y + view.height / 2);
    let looks = 0;
    await this.until(`the row ${label} of the breakpoints`, async () => {
      const box = (await row.isVisible()) && (await row.boundingBox());
      if (box && box.y >= view.y && box.y + box.height <= view.y + view.height) return true;
      await this.page.mouse.wheel(0, looks % 40 < 20 ? -40 : 40); // up, then down, again and again
      looks += 1;
      return false;
    });
    return row;
  }

  /** Press the box of an exception filter. */
  async exceptionFilter(label) {
    const row = await this.breakpointRow(label);
    await row.locator('.monaco-checkbox, input[type=checkbox]').first().click();
  }

  async textAt(line) {
    const number = await this.lineNumber(line).boundingBox();
    for (const row of await this.page.locator('.editor-instance .view-line').all()) {
      const box = await row.boundingBox();
      if (box !== null && Math.abs(box.y - number.y) < 3) return { row, box, text: await row.innerText() };
    }
    throw new Error(`line ${line} is not shown`);
  }

  // -- the debugger --------------------------------------------------------------------------------

  async place() {
    const item = this.page.locator(PLACE);
    return (await item.isVisible()) ? squeezed(await item.innerText()) : '';
  }

  /** Press F5 until something shows: before the contributions are in, it starts nothing. */
  async start(shows) {
    await this.until('what F5 leads to', async () => {
      if (await shows.isVisible()) return true;
      await this.page.keyboard.press('F5');
      return shows.waitFor({ timeout: 8000 }).then(() => true);
    });
  }

  /** Start the call of the open file. */
  async startCall() {
    await this.start(this.page.locator(PLACE));
    return this.at('Start of recording');
  }

  /** A message or a dialog that holds `part`. */
  messageWith(part) {
    const selector = '.notifications-toasts .notification-list-item, .monaco-dialog-box';
    return this.page.locator(selector, { hasText: part }).first();
  }

  /** Wait until the status bar says where the call stands. */
  async at(part) {
    return this.until(`the place ${part}`, async () => {
      const place = await this.place();
      return (part instanceof RegExp ? part.test(place) : place.includes(part)) && place;
    });
  }

  /** Do something that moves the call; return the new place. */
  async moved(act) {
    const before = await this.place();
    await act();
    return this.until(`another place than ${before}`, async () => {
      const now = await this.place();
      return now !== before && now !== '' && now;
    });
  }

  async toolbar() {
    const buttons = this.page.locator('.debug-toolbar .action-label');
    return buttons.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? each.title));
  }

  async tool(label) {
    const button = this.page.locator(`.debug-toolbar .action-label[aria-label^="${label}"]:not(.disabled)`).first();
    return this.moved(() => button.click());
  }

  async stack() {
    return (await this.page.locator('.debug-call-stack .monaco-list-row').allInnerTexts()).map(squeezed);
  }

  /** Wait until the top frame of the call is this visit. */
  async topFrame(visit) {
    return this.until(`the frame ${visit} on top`, async () => {
      const rows = await this.stack();
      return rows.some((row) => row.startsWith(visit)) && rows;
    });
  }

  variableRow(name) {
    return this.page.locator('.debug-variables .monaco-list-row', { hasText: new RegExp(`^\\s*${name}\\s*[=:]`) }).first();
  }

  async variable(name, value) {
    return this.until(`${name} = ${value}`, async () => {
      const text = squeezed(await this.variableRow(name).innerText());
      return text.includes(value) && text;
    });
  }

  async showDebugView() {
    const view = this.page.locator('.debug-call-stack').first();
    if (!(await view.isVisible())) await this.page.keyboard.press('Control+Shift+D');
    await view.waitFor();
  }

  /** Type a line in the Debug Console; wait for a text in it. */
  async console(line, expected) {
    const input = this.page.locator('.repl-input-wrapper .view-lines').first();
    if (!(await input.isVisible())) await this.command('Debug: Focus on Debug Console View');
    await this.until('the focus in the Debug Console', async () => {
      await input.click({ timeout: 2000 });
      return this.page.locator('.repl-input-wrapper .monaco-editor.focused').isVisible();
    });
    await this.page.keyboard.press('Control+A'); // nothing of before is left
    await this.page.keyboard.type(line);
    await this.page.keyboard.press('Escape'); // no suggestion is taken with Enter
    await this.page.keyboard.press('Enter');
    if (expected !== undefined) await this.consoleShows(expected);
  }

  async consoleShows(expected) {
    await this.page.locator('.repl .monaco-list-row', { hasText: expected }).last().waitFor();
  }
}
