// SPDX-License-Identifier: Apache-2.0

// The learned risk in the fleet: a column once a row has one, which puts the highest first.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, launch, tool, until, visit } from './support.mjs';

let daemon, browser;
before(async () => {
  daemon = await new Daemon().start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

test('the fleet has a column of the risk only where there is one, and sorts by it', async () => {
  await daemon.open('off');
  await daemon.report('off', tool('bash', { command: 'make' }, { ok: true, result: 'done' }));
  const window = await visit(browser, daemon);
  const { page } = window;
  const ids = () => page.locator('tr[data-id]').evaluateAll((rows) => rows.map((row) => row.dataset.id));
  const head = page.getByRole('columnheader', { name: 'Risk' });
  await until(async () => (await ids()).length === 1, 'the row');
  assert.equal(await head.count(), 0);

  for (const [id, calls] of [['long', 30], ['short', 1]]) {
    await daemon.open(id, { policy: { risk: true } });
    for (let i = 0; i < calls; i++) await daemon.report(id, tool('bash', { command: 'make' }, { ok: true, result: 'the same as before' }));
  }
  await head.waitFor();
  await until(async () => String(await ids()) === 'long,short,off', 'the worst first, of equals the newest');
  await head.getByRole('button').click();
  await until(async () => String(await ids()) === 'long,short,off', 'the highest risk first');
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  const { sessions } = await daemon.get('/v1/sessions?view=row');
  const risk = sessions.find((row) => row.id === 'long').risk;
  await until(async () => (await page.locator('tr[data-id=long] td').last().textContent()) === risk.toFixed(2), 'the number of the row as it is read');
  await head.getByRole('button').click();
  await until(async () => String(await ids()) === 'long,short,off', 'the worst first again');
  assert.deepEqual(window.trouble, []);
});
