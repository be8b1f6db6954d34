// SPDX-License-Identifier: Apache-2.0

// Live: by itself, through kill -9 without loss or doubles, and over one stream for all tabs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, launch, tool, until, visit } from './support.mjs';

let daemon, browser, window;
before(async () => {
  daemon = await new Daemon().start();
  await daemon.open('quick', { goal: 'Be quick' });
  browser = await launch();
  window = await visit(browser, daemon);
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

test('a session that begins is on the page by itself', async () => {
  await window.to('#/', 'table.fleet');
  await daemon.report('newcomer', { type: 'heartbeat', data: { phase: 'hello' } });
  await window.page.locator('tr[data-id=newcomer]').waitFor();
});

test('the completed runs of a job are one row of the history, one that failed and one at work are others', async () => {
  for (const end of ['', '', '', '/fail', '/start']) assert.equal((await daemon.request('GET', `/ping/backup${end}`)).status, 200);
  await window.to('#/history', 'tr[data-id="backup~4"]');
  const rows = await window.page.locator('tr[data-id^=backup]').evaluateAll((all) => all.map((row) => [row.dataset.id, row.textContent.match(/[0-9]+ runs?/)?.[0]]));
  assert.deepEqual(rows.filter(([id]) => id !== 'backup~5'), [['backup~4', undefined], ['backup~3', '3 runs']]);
  assert.ok(rows.every(([id, runs]) => id !== 'backup~5' || !runs));
});

test('kill -9 and a restart lose and double nothing', async () => {
  await daemon.open('survivor', { goal: 'Survive' });
  await window.to('#/session/survivor?view=events', '.events li');
  const other = await window.context.newPage();
  await other.goto(`${daemon.url}/#/`);
  await other.locator('tr[data-id=survivor]').waitFor();
  let going = true, sent = 0;
  const agent = (async () => {
    for (let i = 0; going || i < 60; i++) {
      const event = { ...tool('bash', { command: `step ${i}` }), event_id: `step-${i}` };
      await until(() => daemon.report('survivor', event).then(() => true, () => false), 'an answer to the agent');
      sent = i + 1;
    }
  })();
  try {
    for (let round = 0; round < 2; round++) {
      const reached = sent + 20;
      await until(() => sent > reached, 'the agent goes on');
      await daemon.kill();
      await window.page.locator('.link.connecting, .link.offline').waitFor();
      await daemon.start();
      await window.page.locator('.link.live').waitFor();
    }
  } finally {
    going = false;  // else a failure would never end
  }
  await agent;
  const { head } = await daemon.get('/v1/sessions/survivor/events?limit=1');
  const numbers = () => window.page.$$eval('.events li[data-n]', (lines) => lines.map((line) => Number(line.dataset.n)));
  await until(async () => (await numbers())[0] === head, 'the newest event on the page');
  // Everything from the newest down, each once; what is not drawn yet comes with "older".
  for (let shown; (shown = (await numbers()).length) < head;) {
    await window.page.getByRole('button', { name: 'Older events' }).click();
    await until(async () => (await numbers()).length > shown, 'older events');
  }
  assert.deepEqual(await numbers(), Array.from({ length: head }, (_, i) => head - i));
  await other.locator('tr[data-id=survivor]').getByText(`step ${sent - 1}`).waitFor();
  await other.close();
});

test('two tabs share one stream', async () => {
  const other = await window.context.newPage();
  await other.goto(`${daemon.url}/#/`);
  await other.waitForSelector('.live');
  const clients = async () => (await daemon.get('/v1/system')).streams.clients;
  await until(async () => (await clients()) === 1, 'one stream');
  await daemon.report('quick', tool('bash', { command: 'for both' }));
  await window.to('#/', 'table.fleet');
  for (const page of [window.page, other]) await page.getByText('bash: for both').waitFor();
  assert.equal(await clients(), 1);
  await other.close();
});

test('a page that the worker forgot shows what came meanwhile, and goes on', async () => {
  await daemon.open('sleeper', { goal: 'Sleep' });
  await window.to('#/session/sleeper', '.events li');
  const { page } = window, says = (text) => daemon.report('sleeper', { type: 'message', data: { role: 'assistant', text } });
  await says('before the sleep');
  await page.getByText('before the sleep').waitFor();
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide'))); // the worker knows it no more
  await until(async () => (await daemon.get('/v1/system')).streams.clients === 0, 'no stream');
  await says('during the sleep');
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByText('during the sleep').waitFor();
  await page.locator('.link.live').waitFor();
  await says('after the sleep');
  await page.getByText('after the sleep').waitFor();
});

test('without a SharedWorker the page keeps the stream itself, through a restart too', async () => {
  const alone = await visit(browser, daemon, { init: () => { delete globalThis.SharedWorker; } });
  const { page } = alone;
  assert.equal(await page.evaluate(() => typeof SharedWorker), 'undefined');
  const row = page.locator('tr[data-id=quick]');
  await daemon.report('quick', tool('bash', { command: 'for the one' }));
  await row.getByText('for the one').waitFor();
  await until(async () => (await daemon.get('/v1/system')).streams.clients === 2, 'a stream of its own, beside that of the other window');
  await daemon.kill();
  await page.locator('.link.connecting, .link.offline').waitFor();
  await daemon.start();
  await page.locator('.link.live').waitFor();
  await daemon.report('quick', tool('bash', { command: 'after the restart' }));
  await row.getByText('after the restart').waitFor();
  await alone.to('#/session/quick', '.events li');
  await daemon.report('quick', { type: 'message', data: { role: 'assistant', text: 'read without a worker' } });
  await page.getByText('read without a worker').waitFor();
  assert.deepEqual(alone.trouble, []);
  await alone.context.close();
});

test('without a SharedWorker the page goes on after minutes in which a person does nothing', async () => {
  const context = await browser.newContext();
  await context.addInitScript(() => { delete globalThis.SharedWorker; });
  await context.clock.install();
  const page = await context.newPage();
  await page.goto(await daemon.loginUrl());
  await page.locator('tr[data-id=quick]').waitFor();
  await page.clock.runFor(300000);
  await page.locator('.link.live').waitFor();
  await daemon.report('quick', tool('bash', { command: 'after five minutes' }));
  await page.locator('tr[data-id=quick]').getByText('after five minutes').waitFor();
  await context.close();
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
