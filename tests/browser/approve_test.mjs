// SPDX-License-Identifier: Apache-2.0

// Decisions: with the keyboard alone, edited, refused without the right; and what the other buttons send.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, launch, until, visit } from './support.mjs';

let daemon, browser, window, page;
before(async () => {
  daemon = await new Daemon().start();
  browser = await launch();
  window = await visit(browser, daemon);
  page = window.page;
});
after(async () => {
  await browser?.close();
  await daemon.close();
});
const status = async (id) => (await daemon.get(`/v1/approvals/${id}`)).status;
const decided = (id) => until(async () => (await status(id)) !== 'pending' && status(id), 'a decision');

test('approved by keyboard only, from the strip that says so', async () => {
  const { id } = await daemon.ask('ask-a', { tool: 'bash', args: { command: 'make install' }, summary: 'install it', risk: 'low' });
  await page.locator('.need').first().waitFor();
  await until(async () => (await page.title()).startsWith('(1)'), 'the count in the title');
  await page.keyboard.press('n');
  await page.locator(`[data-id="${id}"].here`).waitFor();
  await page.keyboard.press('a');
  assert.equal(await decided(id), 'approved');
  await page.getByText('Nothing waits for you').waitFor();
  await until(async () => !(await page.title()).startsWith('('), 'no count in the title');
  const { decision } = await daemon.get(`/v1/approvals/${id}`);
  assert.deepEqual([decision.by, decision.channel], ['dashboard', 'dashboard']);
});

test('what is risky takes a second key, and escape takes the first back', async () => {
  await window.to('#/login', '.card'); // a list that was opened just now takes decisions at once
  const { id } = await daemon.ask('ask-b', { tool: 'deploy', args: { to: 'production' }, risk: 'critical' });
  await window.to('#/approvals', `[data-id="${id}"].here`);
  await page.keyboard.press('a');
  await page.getByText('Yes, approve critical risk').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Approve a' }).waitFor();
  assert.equal(await status(id), 'pending');
  await page.keyboard.press('a');
  await page.getByText('Yes, approve critical risk').waitFor();
  await page.keyboard.press('a');
  assert.equal(await decided(id), 'approved');
});

test('denied with a reason', async () => {
  const { id } = await daemon.ask('ask-c', { tool: 'bash', args: { command: 'rm -rf build' } });
  await window.to('#/approvals', `[data-id="${id}"].here`);
  await page.keyboard.press('d');
  await page.keyboard.press('a'); // too early for the field: it must not approve
  await page.locator('form input:focus').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('not today');
  await page.keyboard.press('Enter');
  assert.equal(await decided(id), 'rejected');
  assert.equal((await daemon.get(`/v1/approvals/${id}`)).decision.reason, 'not today');
});

test('edited, then approved: exactly the bytes that were typed', async () => {
  const { id } = await daemon.ask('ask-d', '{"tool":"bash","args":{"command":"sleep","seconds":1.0,"id":12345678901234567890}}');
  await window.to('#/approvals', `[data-id="${id}"].here`);
  assert.match(await page.locator('.json').first().innerText(), /"seconds": 1\.0,\n {2}"id": 12345678901234567890/);
  await page.keyboard.press('e');
  const field = page.locator('textarea');
  await field.waitFor();
  const text = await field.inputValue();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text.replace('1.0', '2.50'));
  await page.locator('.diff .add', { hasText: '2.50' }).waitFor();
  await page.keyboard.press('Control+Enter');
  assert.equal(await decided(id), 'edited');
  const reply = (await daemon.request('GET', `/v1/approvals/${id}`)).text;
  assert.match(reply, /"edited_args":\{[^}]*"id":12345678901234567890[^}]*\}/);
  assert.match(reply, /"edited_args":\{[^}]*"seconds":2\.50[^}]*\}/);
});

test('a change of a file is shown as one', async () => {
  await daemon.ask('ask-e', { tool: 'edit', args: { path: 'a.py', old_string: 'one\ntwo', new_string: 'one\nthree' } });
  await window.to('#/approvals', '.diff');
  assert.deepEqual([await page.locator('.diff .del').innerText(), await page.locator('.diff .add').innerText()].map((line) => line.trim()), ['- two', '+ three']);
});

test('a later decision shows the winner', async () => {
  const { id } = await daemon.ask('ask-f', { tool: 'bash', args: { command: 'race' } });
  await window.to('#/login', '.card');
  await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
  await page.route('**/decision', async (route) => {
    await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'reject', by: 'ann' }, daemon.token());
    await route.continue();
  }, { times: 1 });
  await page.keyboard.press('a');
  await until(async () => (await status(id)) === 'rejected', 'the first decision');
  await until(async () => (await page.locator(`[data-id="${id}"]`).count()) === 0, 'the request is gone');
  await page.getByText(`The request ${id} waits no longer`).waitFor();  // for a link that is older than the decision
});

test('a nudge says what it sends, and sends it', async () => {
  await daemon.open('steered', { goal: 'Be steered' });
  await window.to('#/session/steered', '.actions');
  await page.getByRole('button', { name: 'Nudge…' }).click();
  await page.locator('dialog input:focus').waitFor();
  await page.keyboard.type('read the log first');
  await page.getByText('POST /v1/sessions/steered/nudge\n{"text":"read the log first"}').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.list').getByText('read the log first').waitFor();
});

test('without a login the page is read-only, and says why', async () => {
  const visitor = await visit(browser, daemon, { login: false });
  const { id } = await daemon.ask('ask-g', { tool: 'bash', args: { command: 'look' } });
  await visitor.to(`#/approvals?id=${id}`, `[data-id="${id}"]`);
  const button = visitor.page.locator(`[data-id="${id}"]`).getByRole('button', { name: 'Approve' });
  assert.equal(await button.isDisabled(), true);
  await visitor.page.getByText('Read only: log in').first().waitFor();
  await visitor.page.keyboard.press('a');
  await visitor.to('#/session/steered', '.actions');
  assert.equal(await visitor.page.getByRole('button', { name: 'Nudge…' }).isDisabled(), true);
  assert.equal(await status(id), 'pending');
  assert.deepEqual(visitor.trouble, []);
  await visitor.context.close();
});

test('where nothing can be read without a login, the page says so, and a login opens it', async () => {
  const closed = await new Daemon({ 'access.mode': 'token' }).start();
  const { page } = await browser.newContext().then(async (context) => ({ page: await context.newPage() }));
  await page.goto(closed.url);
  await page.getByText('This daemon shows nothing without a login.').waitFor();
  await page.goto(`${closed.url}/login?code=guessed`);
  await page.getByText('That URL was used already').waitFor();
  const url = await closed.loginUrl();
  await page.goto(url);
  await page.locator('.link.live').waitFor();
  await page.getByText('No agent is running', { exact: true }).waitFor();
  await page.goto(`${closed.url}/#/login`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('On the machine where the daemon runs').waitFor();
  await page.goto(url); // a second time
  await page.getByText('That URL was used already').waitFor();
  await page.context().close();
  await closed.close();
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
