// SPDX-License-Identifier: Apache-2.0

// Decisions that reach further than one request: grants for a session or a time, identical requests together, and taking a grant back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, launch, until, visit } from './support.mjs';

const HOUR = 3600e3;

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

const approval = (id) => daemon.get(`/v1/approvals/${id}`);
const decided = (id) => until(async () => { const item = await approval(id); return item.status !== 'pending' && item; }, 'a decision');
const card = (id) => page.locator(`[data-id="${id}"]`);
// The page of one request, loaded again so that no key is too soon after the last decision.
async function look(id) {
  await window.leave();
  await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
}

test('approved for the session, by keyboard: equal requests do not wait any more', async () => {
  const ask = { tool: 'bash', args: { command: 'make test' } };
  const { id } = await daemon.ask('granted', ask);
  await look(id);
  await page.keyboard.press('s');
  await page.locator('dialog select:focus').waitFor();
  await page.getByText(`POST /v1/approvals/${id}/decision\n{"decision":"approve","scope":"session","channel":"dashboard"}`).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('it is only a test');
  await page.keyboard.press('Enter');
  const { decision } = await decided(id);
  assert.deepEqual([decision.scope, decision.match, decision.reason], ['session', 'args', 'it is only a test']);
  await page.locator('dialog').waitFor({ state: 'detached' });
  const again = await daemon.ask('granted', ask);
  assert.equal((await approval(again.id)).status, 'approved');
  const other = await daemon.ask('granted', { tool: 'bash', args: { command: 'make clean' } });
  assert.equal((await approval(other.id)).status, 'pending');
});

test('approved until a time, with any arguments: that is asked twice', async () => {
  const { id } = await daemon.ask('for-an-hour', { tool: 'read', args: { path: 'a' } });
  await look(id);
  await card(id).getByRole('button', { name: 'From now on' }).click();
  await page.getByLabel('How long').selectOption('for 1 hour');
  await page.getByLabel('Which calls').selectOption('with any arguments');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Yes, approve any call of read' }).waitFor();
  assert.equal((await approval(id)).status, 'pending');
  await page.getByRole('button', { name: 'Yes, approve any call of read' }).click();
  const { decision } = await decided(id);
  assert.deepEqual([decision.scope, decision.match], ['until', 'tool']);
  const left = Date.parse(decision.until) - Date.now();
  assert.ok(left > HOUR - 60e3 && left <= HOUR, `${left} ms left`);
  const other = await daemon.ask('for-an-hour', { tool: 'read', args: { path: 'b' } });
  assert.equal((await approval(other.id)).status, 'approved');
});

test('a risky grant is asked twice, and another choice is asked again', async () => {
  const { id } = await daemon.ask('risky', { tool: 'deploy', args: { to: 'staging' }, risk: 'high' });
  await look(id);
  await page.keyboard.press('s');
  await page.locator('dialog select:focus').waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Yes, approve high risk from now on' }).waitFor();
  await page.getByLabel('How long').selectOption('for 15 minutes');
  await page.getByRole('button', { name: 'Send' }).dblclick();
  assert.equal((await approval(id)).status, 'pending');
  await page.getByRole('button', { name: 'Yes, approve high risk from now on' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.equal((await approval(id)).status, 'pending');
});

test('identical requests of several sessions are decided together, by keyboard', async () => {
  const ask = { tool: 'bash', args: { command: 'git push' }, risk: 'high' };
  const ids = [];
  for (const session of ['same-1', 'same-2', 'same-3']) ids.push((await daemon.ask(session, ask)).id);
  const alone = await daemon.ask('same-1', { tool: 'bash', args: { command: 'git push --force' }, risk: 'high' });
  await look(ids[0]);
  await card(ids[0]).getByText('All 3 identical').waitFor();
  assert.equal(await card(alone.id).getByText('identical').count(), 0);
  await page.keyboard.press('a');
  await page.getByRole('button', { name: 'Yes, approve high risk' }).waitFor();
  await page.keyboard.press('i'); // what was to be confirmed was one only
  await page.getByRole('button', { name: 'Approve all 3' }).waitFor();
  await page.getByText('Sends {"decision":"approve","apply_to_identical":true}').waitFor();
  await page.keyboard.press('a');
  await card(ids[0]).getByRole('button', { name: 'Yes, approve all 3 high risk' }).and(page.locator(':enabled')).waitFor();
  assert.equal((await approval(ids[0])).status, 'pending');
  await page.keyboard.press('y');
  for (const id of ids) assert.equal((await decided(id)).status, 'approved');
  await until(async () => (await card(ids[2]).count()) === 0, 'they are gone');
  assert.equal((await approval(alone.id)).status, 'pending');
});

test('one of several identical requests may be decided alone', async () => {
  const ask = { tool: 'bash', args: { command: 'rm -r dist' } };
  const ids = [];
  for (const session of ['twin-1', 'twin-2']) ids.push((await daemon.ask(session, ask)).id);
  await look(ids[0]);
  await card(ids[0]).getByRole('button', { name: /All 2 identical/ }).waitFor(); // the list may have been read between the two
  await page.keyboard.press('i');
  await page.getByRole('button', { name: 'Deny all 2' }).waitFor();
  await page.keyboard.press('i');
  await page.getByRole('button', { name: 'Deny… d' }).first().waitFor();
  await page.keyboard.press('d');
  await card(ids[0]).locator('form input:focus').waitFor();
  await page.keyboard.type('keep it');
  await page.keyboard.press('Enter');
  assert.equal((await decided(ids[0])).status, 'rejected');
  assert.equal((await approval(ids[1])).status, 'pending');
});

test('the page of a session lists its grants, and takes one back', async () => {
  await window.to('#/session/granted', '.actions');
  const grants = page.getByRole('region', { name: 'Grants' });
  await grants.getByText('"make test"').waitFor();
  await grants.getByText('until the session ends').waitFor();
  await grants.getByRole('button', { name: 'Revoke…' }).press('Enter');
  await page.locator('dialog input:focus').waitFor();
  await page.keyboard.type('enough');
  await page.getByText(/^POST \/v1\/approvals\/granted\.a\d+\/revoke\n\{"reason":"enough"\}$/).waitFor();
  await page.keyboard.press('Enter');
  await grants.waitFor({ state: 'detached' });
  const again = await daemon.ask('granted', { tool: 'bash', args: { command: 'make test' } });
  assert.equal((await approval(again.id)).status, 'pending');
});

test('requests that make no grant do not let the page read all decisions again', async () => {
  const { id } = await daemon.ask('busy', { tool: 'bash', args: { command: 'make' } });
  await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'approve', scope: 'session' }, daemon.token());
  const read = [], note = (request) => { if (/status=resolved/.test(request.url())) read.push(request.url()); };
  await window.to('#/session/busy?view=events', '.events li');
  await page.getByRole('region', { name: 'Grants' }).waitFor();
  page.on('request', note);
  for (let i = 0; i < 5; i++) {
    await daemon.ask('busy', { tool: 'bash', args: { command: 'make' }, call_id: `c${i}` }); // approved by the grant
    const { head } = await daemon.get('/v1/sessions/busy/events?limit=1');
    await page.locator(`.events li[data-n="${head}"]`).waitFor();
  }
  assert.deepEqual(read, []);
  const other = await daemon.ask('busy', { tool: 'bash', args: { command: 'make clean' } });
  await daemon.call('POST', `/v1/approvals/${other.id}/decision`, { decision: 'approve', scope: 'session' }, daemon.token());
  await page.getByRole('region', { name: 'Grants' }).getByText('"make clean"').waitFor();
  assert.ok(read.length > 0);
  page.off('request', note);
});

test('a grant is taken back from the list of decisions too', async () => {
  await window.to('#/approvals?show=decided', '.plain td');
  const row = page.locator('tr', { hasText: 'for-an-hour' }).filter({ hasText: 'from now on' });
  await row.getByRole('button', { name: 'Revoke…' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await row.waitFor({ state: 'detached' });
  const other = await daemon.ask('for-an-hour', { tool: 'read', args: { path: 'c' } });
  assert.equal((await approval(other.id)).status, 'pending');
});

test('who may only look can neither grant nor revoke', async () => {
  const { id } = await daemon.ask('looked-at', { tool: 'bash', args: { command: 'look' } });
  await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'approve', scope: 'session' }, daemon.token());
  const waits = await daemon.ask('looked-at', { tool: 'bash', args: { command: 'look again' } });
  const visitor = await visit(browser, daemon, { login: false });
  await visitor.to(`#/approvals?id=${waits.id}`, `[data-id="${waits.id}"].here`);
  assert.equal(await visitor.page.locator(`[data-id="${waits.id}"]`).getByRole('button', { name: 'From now on' }).isDisabled(), true);
  await visitor.page.keyboard.press('s');
  await visitor.to('#/session/looked-at', '.actions');
  assert.equal(await visitor.page.getByRole('button', { name: 'Revoke…' }).isDisabled(), true);
  assert.equal(await visitor.page.locator('dialog').count(), 0);
  assert.deepEqual(visitor.trouble, []);
  await visitor.context.close();
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
