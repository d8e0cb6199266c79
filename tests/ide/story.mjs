// The whole story of a recorded call in the workbench, by the same clicks and keys as a person's.
// usage: node story.mjs MODULES URL SHOTS
import { tell } from './workbench.mjs';

const [modules, url, shots] = process.argv.slice(2);
const CONFIRM = 45; // the line of the state `confirm` in the flow file

const BUTTONS = [
  'Continue', 'Step Over', 'Step Into', 'Step Out', 'Step Back', 'Reverse', 'Restart', 'Stop',
  'Reverse Step Out', 'Back to the Visit Before', 'Forward to the Next Visit', 'Show Call Timeline',
];

await tell({ modules, url, shots, name: 'story' }, async (w) => {
  const { page } = w;
  await w.openFile('booking_racy/flow/flow.yaml', CONFIRM);
  await w.breakpoint(CONFIRM);
  await w.shown('a breakpoint by the gutter');

  await w.startCall();
  await w.showDebugView();
  await w.until('every button in the toolbar', async () => {
    const buttons = await w.toolbar();
    return BUTTONS.every((label) => buttons.some((button) => button.startsWith(label)));
  });
  await w.shown('F5 without a launch file');

  await w.tool('Continue');
  await w.at(/▶ #142 .*confirm/);
  await w.topFrame('confirm#1');
  await w.variable('time', '18:00');
  await w.shown('Continue to the breakpoint');

  await w.tool('Step Over');
  await w.at('▶ #143');
  await w.tool('Step Back');
  await w.at('◀ #142');
  await w.shown('Step Over and Step Back');

  await w.variableRow('time').click({ button: 'right' });
  await w.choose('Break on Value Change');
  await w.breakpointRow('time');
  await w.tool('Reverse');
  await w.at(/◀ #135 .*no_table/);
  await w.topFrame('no_table#1');
  await w.shown('Reverse to the write of a slot');

  const prompt = await w.textAt(26);
  const share = (prompt.text.indexOf('time') + 2) / prompt.text.length;
  const { width } = await prompt.row.locator('span').first().boundingBox();
  await w.until('the value on hover', async () => {
    await page.mouse.move(prompt.box.x + 5, prompt.box.y - 60);
    await page.mouse.move(prompt.box.x + width * share, prompt.box.y + prompt.box.height / 2, { steps: 4 });
    const hover = page.locator('.debug-hover-widget');
    await hover.waitFor({ timeout: 2000 });
    return (await hover.innerText()).includes('18:00');
  });
  await w.shown('the value on hover', { keepsMouse: true });

  await w.command('Debug: Focus on Watch View');
  await page.locator('.debug-watch').first().hover();
  await page.locator('.pane-header [aria-label="Add Expression"]').first().click();
  await page.keyboard.type('prev.time + " then " + slots.time');
  await page.keyboard.press('Enter');
  await page.locator('.debug-watch .monaco-list-row', { hasText: '19:00 then 18:00' }).first().waitFor();
  await w.shown('an expression that is watched');

  await w.console('why time', 'check_availability');
  await w.moved(() => w.console('rout'));
  await w.at(/◀ #\d+ .*no_table/);
  await w.console('goto #135', '#135');
  await w.at('▶ #135');
  await w.shown('verbs in the Debug Console');

  await w.openFile('booking_racy/flow/flow.yaml', 14);
  await w.logPoint(14, 'the party is {slots.party_size}');
  await w.consoleShows('the party is 4');
  await w.shown('a log point that prints at once');

  await w.exceptionFilter('Speech cut by caller');
  await w.tool('Back to the Visit Before');
  await w.tool('Back to the Visit Before');
  await w.at(/◀ #38 .*get_time/);
  await w.tool('Continue');
  await w.at('▶ #55');
  await page.locator('.exception-widget', { hasText: 'SPEECH_CUT_BY_CALLER' }).waitFor();
  await w.shown('a stop at a finding');
  await w.exceptionFilter('Speech cut by caller');

  await w.tool('Reverse Step Out');
  await w.at('◀ #38');
  await w.tool('Forward to the Next Visit');
  await w.at(/▶ #107 .*no_table/);
  await w.shown('visit by visit');

  await w.command('Recorded Call: Go to Finding…');
  await w.pick('SPEECH_CUT_BY_CALLER#1');
  await w.at('◀ #55');
  await w.command('Recorded Call: Go to Time or Place…');
  await w.answer('confirm#1');
  await w.at('▶ #142');
  await w.variableRow('time').click({ button: 'right' });
  await w.choose('Who Wrote This Slot?');
  await w.at('◀ #135');
  await w.message('time: 19:00 → 18:00, written by tool:check_availability');
  await w.shown('who wrote this slot');
  await w.press('Why This Value?');
  await page.locator('.repl-input-wrapper .monaco-editor.focused').waitFor();
  await w.consoleShows('check_availability');

  await w.command('Recorded Call: Choose How Far a Step Goes…');
  await w.pick('visit');
  await w.tool('Step Back');
  await w.at(/◀ .*no_table/);
  await w.command('Recorded Call: Choose Which Way Steps Go…');
  await w.pick('reverse');
  await w.tool('Step Over');
  await w.at(/◀ .*get_time/);
  await w.command('Recorded Call: Rewind to Duplicate Playback');
  await w.message('No playback of this call repeats another one.');
  await w.shown('unit and direction');

  await w.console('dir forward', 'direction forward');
  await w.console('unit event', 'unit event');
  await w.moved(() => w.console('goto #135'));
  await timeline(w);

  await page.locator('.debug-toolbar .action-label[aria-label^="Stop"]').first().click();
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  await w.until('no place in the status bar', async () => (await w.place()) === '');
  await w.shown('Stop');
});

// The call timeline and the debugger move each other; sound moves both.
async function timeline(w) {
  const { page } = w;
  await w.command('View: Toggle Panel Visibility');
  await page.locator('.debug-toolbar .action-label[aria-label^="Show Call Timeline"]').first().click();
  const view = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  const body = view.locator('body');
  const event = async () => Number(await body.getAttribute('data-event'));
  await view.locator('body[data-ready="true"][data-event="135"]').waitFor();
  await view.getByText('agent', { exact: true }).waitFor(); // both channels' waves are drawn
  await w.shown('the call timeline');

  await w.tool('Step Back');
  await w.at('◀ #134');
  await view.locator('body[data-event="134"]').waitFor();
  await w.shown('Step Back moves the timeline');

  await view.locator('#area').focus();
  await page.keyboard.press('ArrowDown'); // the playbacks
  await page.keyboard.press('.');
  const before = await w.place();
  await page.keyboard.press('Enter');
  await w.until('the debugger where the playback started', async () => (await w.place()) !== before);
  await w.until('one place in both', async () => (await w.place()).includes(`#${await event()} `));
  await w.shown('the timeline moves the debugger');

  const lanes = await view.locator('#lanes').boundingBox();
  const there = await w.moved(() => page.mouse.click(lanes.x + lanes.width * 0.3, lanes.y + 12));
  await w.until('one place in both', async () => (await w.place()).includes(`#${await event()} `));
  await w.shown(`a click in the timeline`);

  const start = await event();
  await view.locator('#play').click();
  await view.locator('body[data-playing="true"]').waitFor();
  await w.until('the event cursor moves with the sound', async () => (await event()) > start);
  await w.until('the debugger moves with the sound', async () => (await w.place()) !== there);
  await view.locator('#play').click();
  await view.locator('body[data-playing="false"]').waitFor();
  await w.until('one place in both', async () => (await w.place()).includes(`#${await event()} `));
  await w.shown('sound moves the call');
}
