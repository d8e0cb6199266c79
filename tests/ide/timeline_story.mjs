// The call timeline in the real workbench: it opens, a row moves the debugger, Step Back moves the
// timeline, the audio plays and moves the event cursor.
// usage: node timeline_story.mjs MODULES URL SHOTS
import assert from 'node:assert/strict';
import { tell } from './workbench.mjs';

const [modules, url, shots] = process.argv.slice(2);

await tell({ modules, url, shots, name: 'timeline-workbench' }, async (w) => {
  const { page } = w;
  await w.openFile('booking_racy/flow/flow.yaml', 1);
  await w.startCall();
  await page.locator('.debug-toolbar .action-label[aria-label^="Show Call Timeline"]').first().click();
  const timeline = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  const body = timeline.locator('body');
  const eventAt = async () => Number(await body.getAttribute('data-event'));
  await timeline.locator('body[data-ready="true"]').waitFor();
  await timeline.locator('#play:not([disabled])').waitFor();
  await timeline.locator('.wave').nth(1).waitFor();
  await w.shown('the call timeline');

  await w.until('a playback is chosen', async () => {
    await timeline.locator('#area').focus();
    await page.keyboard.press('ArrowDown');
    return (await timeline.locator('.lane-name.chosen').getAttribute('data-lane')) === 'playbacks';
  });
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await timeline.locator('#detail dl').waitFor();
  await page.keyboard.press('Enter');
  await w.at(/▶ #\d+ .*get_time/);
  const chosen = await w.until('the row moves the page', async () => (await eventAt()) > 0 && eventAt());
  assert.ok((await w.place()).includes(`#${chosen} `), 'debugger and timeline stand at one event');
  await w.shown('a row moves the debugger');

  await w.tool('Step Back');
  await timeline.locator(`body[data-event="${chosen - 1}"]`).waitFor();
  assert.equal(await timeline.locator('#move').innerText(), '◀ went back 1 event');
  await w.shown('Step Back moves the timeline');

  const before = await w.place();
  await timeline.locator('#play').click();
  await timeline.locator('body[data-playing="true"]').waitFor();
  await w.until('the audio moves the event cursor', async () => (await eventAt()) > chosen + 1);
  await w.until('the debugger follows the audio', async () => (await w.place()) !== before);
  await timeline.locator('#play').click();
  await timeline.locator('body[data-playing="false"]').waitFor();
  await w.until('one event after the pause', async () => (await w.place()).includes(`#${await eventAt()} `));
  await w.shown('the audio moved the event cursor');

  await timeline.locator('#play').click();
  await timeline.locator('body[data-playing="true"]').waitFor();
  await w.tool('Step Back');
  await timeline.locator('body[data-playing="false"]').waitFor();
  await w.until('one event after the step', async () => (await w.place()).includes(`#${await eventAt()} `));
  await page.locator('.debug-toolbar .action-label[aria-label^="Stop"]').first().click();
  await timeline.locator('body[data-ended="true"]').waitFor();
  await w.shown('the session is over', { pictures: false });

  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  await w.openFile('booking_racy/flow/flow.yaml', 1);
  await w.startCall();
  await timeline.locator('body[data-ready="true"][data-event="-1"]:not([data-ended])').waitFor();
  await w.shown('the timeline of the next session', { pictures: false });
  await page.locator('.debug-toolbar .action-label[aria-label^="Stop"]').first().click();
  await timeline.locator('body[data-ended="true"]').waitFor();
});
