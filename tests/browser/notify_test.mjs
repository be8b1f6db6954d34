// SPDX-License-Identifier: Apache-2.0

// Notifications: only after a person asked for them, one per need, and none on a visible page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, launch, until, visit } from './support.mjs';

// A headless browser shows no notification and hides no tab, so the page gets stand-ins that record their calls.
function standIns() {
  globalThis.notes = [];
  globalThis.asked = 0;
  globalThis.away = false;
  globalThis.Notification = class {
    static permission = 'default';
    static async requestPermission() {
      globalThis.asked++;
      return (this.permission = 'granted');
    }
    constructor(title, options) { globalThis.notes.push({ title, ...options }); }
  };
  Object.defineProperty(document, 'hidden', { get: () => globalThis.away });
}

let daemon, browser, window, page;
before(async () => {
  daemon = await new Daemon().start();
  browser = await launch();
  window = await visit(browser, daemon, { init: standIns });
  page = window.page;
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

let count = 0;
const away = (value) => page.evaluate((now) => { globalThis.away = now; }, value);
const notes = () => page.evaluate(() => globalThis.notes);
// The title is written in the same step in which a notification is shown.
const counted = (n) => until(async () => (await page.title()).startsWith(`(${n})`), `${n} in the title`);
async function need(id, goal) {
  await daemon.open(id, { goal });
  await daemon.ask(id, { tool: 'bash', args: { command: id }, summary: 'may I?' });
  await counted(++count);
}
async function toggle(name) {
  await page.keyboard.press('?');
  await page.getByRole('button', { name }).click();
  await page.locator('dialog').getByRole('button', { name: /^Turn/ }).filter({ hasNotText: name }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
}

test('without permission no notification is shown, and the page does not ask by itself', async () => {
  await away(true);
  await need('unasked', 'Not to be told');
  assert.deepEqual(await notes(), []);
  assert.equal(await page.evaluate(() => globalThis.asked), 0);
});

test('a tab in the background tells of a new need once', async () => {
  await away(false);
  await toggle('Turn notifications on');
  assert.equal(await page.evaluate(() => globalThis.asked), 1);
  await need('looked-at', 'Seen on the page');
  assert.deepEqual(await notes(), [], 'who looks at the page sees it there');
  await away(true);
  await need('told', 'Deploy on Friday');
  const [note, ...more] = await notes();
  assert.deepEqual(more, []);
  assert.equal(note.title, 'Deploy on Friday');
  assert.match(note.body, /\S/);
  assert.equal(note.tag, 'headway');
  // The same need, looked at again and with more said about it, is no new one.
  await daemon.report('told', { type: 'message', data: { role: 'assistant', text: 'still waiting' } });
  await need('told-too', 'Deploy on Monday');
  assert.deepEqual((await notes()).map(({ title }) => title), ['Deploy on Friday', 'Deploy on Monday']);
});

test('the choice is kept, and what was there when the page came is not told again', async () => {
  await page.addInitScript(() => { globalThis.Notification.permission = 'granted'; globalThis.away = true; });
  await page.reload();
  await counted(count);
  assert.deepEqual(await notes(), []);
  await need('after-reload', 'Something new');
  assert.deepEqual((await notes()).map(({ title }) => title), ['Something new']);
});

test('turned off, nothing is shown', async () => {
  await toggle('Turn notifications off');
  await need('quiet-again', 'Not to be told either');
  assert.equal((await notes()).length, 1);
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
