// SPDX-License-Identifier: Apache-2.0

// Many: 10,000 sessions, read page by page and drawn where the screen is.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, each, launch, until, visit } from './support.mjs';

const ALL = 10000;

let daemon, browser, window;
before(async () => {
  daemon = await new Daemon().start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

test('10,000 sessions are read page by page and drawn where the screen is', async () => {
  await each(Array(ALL).keys(), (i) => daemon.open(`many-${i}`, { goal: `Work ${i}` }), 64);
  await daemon.ask('many-0', { tool: 'deploy', args: {} });
  window = await visit(browser, daemon);
  await window.page.getByText('10,000 sessions', { exact: true }).waitFor();
  const { page } = window;
  await until(async () => (await page.locator('tr[data-id]').first().getAttribute('data-id')) === 'many-0', 'the oldest, which asks, in the first row');
  const last = page.locator(`tr[aria-rowindex="${ALL + 1}"]`);
  await until(async () => {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    return last.isVisible();
  }, 'the last row');
  assert.ok(await page.locator('tr[data-id]').count() < 80, 'only what is near the screen is drawn');
  assert.equal(await page.locator('table.fleet').getAttribute('aria-rowcount'), '10001');
  await page.keyboard.press('/');
  await page.keyboard.type('work 4711');
  await page.getByText('1 session', { exact: true }).waitFor();
  await until(async () => (await page.locator('tr[data-id]').count()) === 1, 'the one that was looked for');
  assert.match(page.url(), /q=work\+4711/);
  assert.deepEqual(window.trouble, []);
});
