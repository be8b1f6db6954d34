// SPDX-License-Identifier: Apache-2.0

// Notifications: only after a person asked for them, one per need, and none on a visible page; and a browser that cannot show them.
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
    constructor(title, options) {
      if (globalThis.phone) throw new TypeError('Illegal constructor');
      this.note = { title, ...options };
      globalThis.notes.push(this.note);
    }
    close() { this.note.closed = true; }
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
const notes = () => page.evaluate(() => globalThis.notes.filter(({ tag }) => tag !== 'headway')); // without the one that says how they look
// The title is written in the same step in which a notification is shown.
const counted = (n) => until(async () => (await page.title()).startsWith(`(${n})`), `${n} in the title`);
async function need(id, goal, more = {}) {
  await daemon.open(id, { goal });
  const asked = await daemon.ask(id, { tool: 'bash', args: { command: id }, summary: 'may I?', ...more });
  await counted(++count);
  return asked;
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
  assert.equal(note.requireInteraction, false);
  // The same need, looked at again and with more said about it, is no new one.
  await daemon.report('told', { type: 'message', data: { role: 'assistant', text: 'still waiting' } });
  await need('told-too', 'Deploy on Monday');
  assert.deepEqual((await notes()).map(({ title }) => title), ['Deploy on Friday', 'Deploy on Monday']);
});

test('a notification replaces no other, a critical one stays, and one goes with its cause', async () => {
  const before = (await notes()).length, { id } = await need('critical', 'Drop the table', { risk: 'critical' });
  await need('harmless', 'Read a file');
  const two = (await notes()).slice(before);
  assert.deepEqual(two.map(({ requireInteraction }) => requireInteraction), [true, false]);
  assert.equal(new Set((await notes()).map(({ tag }) => tag)).size, before + 2);
  await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'reject' }, daemon.token());
  await counted(--count);
  assert.deepEqual((await notes()).slice(before).map(({ closed }) => !!closed), [true, false]);
});

test('a second alarm of a session is news, and the acknowledgement of one is none', async () => {
  const run = async (name) => {
    await daemon.ask('alarmed', { tool: name, call_id: name, args: {} });
    await daemon.report('alarmed', { type: 'tool.finished', data: { tool: name, call_id: name, args: {}, ok: true } });
    return (await daemon.get('/v1/sessions/alarmed')).alarms.find(({ tool }) => tool === name).n;
  };
  const alarms = async () => (await notes()).filter(({ title, requireInteraction }) => title === 'alarmed' && requireInteraction).length;
  const first = await run('first');
  await until(async () => (await alarms()) === 1, 'the first');
  const second = await run('second');
  await until(async () => (await alarms()) === 2, 'the second');
  await daemon.call('POST', '/v1/sessions/alarmed/alarms/acknowledge', { n: second }, daemon.token());
  await until(async () => (await daemon.get('/v1/sessions/alarmed')).alarms.length === 1, 'one is left');
  await daemon.open('after-that', { goal: 'After that' });
  await daemon.ask('after-that', { tool: 'bash', args: {} });
  await until(async () => (await notes()).some(({ title }) => title === 'After that'), 'the next thing');
  assert.equal(await alarms(), 2);
  await daemon.call('POST', '/v1/sessions/alarmed/alarms/acknowledge', { n: first }, daemon.token());
  await daemon.call('POST', '/v1/sessions/alarmed/end', { outcome: 'cancelled' });
  count = (await daemon.get('/v1/overview')).needs_you_total;
  await counted(count);
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

test('a browser that shows none says so, and they stay off', async () => {
  await page.evaluate(() => { globalThis.phone = true; });
  await page.keyboard.press('?');
  await page.getByRole('button', { name: 'Turn notifications on' }).click();
  await page.locator('dialog').getByText('This browser cannot show notifications').waitFor();
  await page.getByRole('button', { name: 'Turn notifications on' }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => localStorage.getItem('notify')), 'off');
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
