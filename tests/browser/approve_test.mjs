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

test('a newcomer that sorts first takes no key from the chosen request', async () => {
  await window.leave();
  const { id } = await daemon.ask('ask-chosen', { tool: 'edit', args: { path: 'a' }, risk: 'low' });
  await window.to('#/approvals', `[data-id="${id}"].here`);
  const { id: late } = await daemon.ask('ask-late', { tool: 'deploy', args: { to: 'production' }, risk: 'critical' });
  await page.locator(`[data-id="${late}"]`).waitFor();
  assert.equal(await page.locator('.inbox > *').first().getAttribute('data-id'), late);
  assert.equal(await page.locator('[data-id].here').getAttribute('data-id'), id);
  await page.keyboard.press('a');
  assert.equal(await decided(id), 'approved');
  assert.equal(await status(late), 'pending');
  await daemon.call('POST', `/v1/approvals/${late}/decision`, { decision: 'reject' }, daemon.token());
  await page.getByText('Nothing waits for you').waitFor();
});

const reject = (id) => daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'reject' }, daemon.token());

// Presses a key on the page in the moment in which it shows the request as the chosen one; resolves when that was done.
const pressAsShown = (id, key) => page.evaluate(([other, name]) => {
  window.pressed = new Promise((done) => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector(`[data-id="${other}"].here`)) return;
      watch.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
      done();
    });
    watch.observe(document.body, { subtree: true, childList: true, attributes: true });
  });
}, [id, key]).then(() => () => page.evaluate(() => window.pressed));

test('where the chosen request was decided elsewhere, no key acts on the one in its place before it has settled', async () => {
  for (const key of ['a', 'd', 'e', 's']) {
    await window.leave();
    const { id } = await daemon.ask('gone-' + key, { tool: 'bash', args: { command: 'first ' + key }, risk: 'low' });
    const { id: next } = await daemon.ask('next-' + key, { tool: 'bash', args: { command: 'second ' + key }, risk: 'low' });
    const place = page.locator(`[data-id="${next}"]`);
    await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
    await place.waitFor();
    const pressed = await pressAsShown(next, key);
    await reject(id);
    await pressed();
    await place.and(page.locator('.here')).getByRole('button', { name: 'Approve a' }).and(page.locator(':enabled')).waitFor();
    assert.equal(await status(next), 'pending', key);
    assert.equal(await page.locator('.inbox form, dialog[open]').count(), 0, key);
    await page.keyboard.press('a');
    assert.equal(await decided(next), 'approved');
  }
});

test('who types into a request that is decided elsewhere decides nothing by typing on', async () => {
  await window.leave();
  const { id } = await daemon.ask('typed-gone', { tool: 'bash', args: { command: 'one' }, risk: 'low' });
  const { id: next } = await daemon.ask('typed-next', { tool: 'bash', args: { command: 'two' }, risk: 'low' });
  const place = page.locator(`[data-id="${next}"]`);
  await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
  await place.waitFor();
  await page.keyboard.press('d');
  await page.locator('form input:focus').waitFor();
  await page.keyboard.type('not before the b');
  await reject(id);
  await page.getByText('was decided elsewhere').waitFor();
  await place.getByRole('button', { name: 'Approve a' }).and(page.locator(':enabled')).waitFor();
  await page.keyboard.type('ackup is made, as said');
  assert.equal(await status(next), 'pending');
  assert.equal(await page.locator('.inbox form').count(), 0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  assert.equal(await decided(next), 'approved');
});

test('what is risky takes another key, and escape takes the first back', async () => {
  await window.leave(); // a list that was opened just now takes decisions at once
  const { id } = await daemon.ask('ask-b', { tool: 'deploy', args: { to: 'production' }, risk: 'high' });
  await window.to('#/approvals', `[data-id="${id}"].here`);
  await page.keyboard.press('a');
  await page.getByText('Yes, approve high risk').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Approve a' }).waitFor();
  assert.equal(await status(id), 'pending');
  await page.keyboard.press('a');
  await page.locator('.confirm button.sure:enabled').waitFor();
  await page.keyboard.press('a'); // a second tap of the same key, however late
  assert.equal(await status(id), 'pending');
  await page.keyboard.press('y');
  assert.equal(await decided(id), 'approved');
});

test('no button of a risky request is bright but the one that confirms, and a low one has a bright Approve', async () => {
  const classes = async (risk) => {
    await window.leave();
    const { id } = await daemon.ask('bright-' + risk, { tool: 'deploy', args: { to: 'production' }, risk });
    await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
    const place = page.locator(`[data-id="${id}"]`);
    const found = [];
    for (const name of ['Deny… d', 'Approve a']) found.push(await place.getByRole('button', { name }).getAttribute('class'));
    if (risk !== 'low') {
      assert.equal(await place.locator('.primary').count(), 0, risk);
      await page.keyboard.press('a');
      await place.locator('.confirm .primary.sure').waitFor();
    }
    await reject(id);
    await page.getByText('Nothing waits for you').waitFor();
    return found;
  };
  assert.deepEqual(await classes('critical'), ['default', 'outline']);
  assert.deepEqual(await classes('high'), ['default', 'outline']);
  assert.deepEqual(await classes('low'), ['danger', 'primary']);
});

test('a double tap or a double click of any speed confirms nothing risky', async () => {
  const asked = [];
  for (const [i, risk] of ['high', 'critical'].entries()) {
    const { id } = await daemon.ask(`tap-${i}`, { tool: 'bash', args: { command: `rm -rf /var/lib/postgresql/${i}` }, risk });
    asked.push(id);
    await window.leave();
    await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
    const place = page.locator(`[data-id="${id}"]`), approve = place.getByRole('button', { name: 'Approve a' });
    const { x, y, width, height } = await approve.boundingBox();
    const middle = [x + width / 2, y + height / 2];
    for (const pause of [0, 90, 700]) {
      await approve.waitFor();
      await page.mouse.click(...middle);
      await page.waitForTimeout(pause);
      await page.mouse.click(...middle);
      await place.locator('.confirm').waitFor();
      await place.locator('.confirm').getByRole('button', { name: 'Back' }).click();
      await approve.waitFor();
      await page.keyboard.press('a');
      await page.waitForTimeout(pause);
      await page.keyboard.press('a');
      await place.locator('.confirm').waitFor();
      if (risk === 'high') await place.locator('.confirm button.sure:enabled').waitFor();
      await place.locator('.confirm').getByRole('button', { name: 'Back' }).click();
    }
    await approve.waitFor();
    await page.keyboard.press('a');
    await page.evaluate(() => document.querySelector('.confirm button.sure').click()); // a script has no finger: before 600 ms it is disabled
    assert.equal(await status(id), 'pending');
  }
  for (const id of asked) await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'reject' }, daemon.token());
});

test('a critical request takes the name of its tool, typed, whether approved, edited or granted', async () => {
  const ask = async (session, more = {}) => {
    const { id } = await daemon.ask(session, { tool: 'deploy', args: { to: 'production' }, risk: 'critical', ...more });
    await window.leave();
    await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
    return id;
  };
  const typed = async (place, word, name) => {
    await place.locator('.confirm input:focus').waitFor();
    for (const wrong of ['y', 'deplo', 'Deploy']) {
      await page.keyboard.type(wrong);
      await page.keyboard.press('Enter');
      assert.equal(await place.getByRole('button', { name }).isDisabled(), true, wrong);
      await page.keyboard.press('Control+A');
    }
    await page.keyboard.type(word);
    await place.locator('.confirm button.sure:enabled').waitFor();
    await page.keyboard.press('Enter');
  };
  const plain = await ask('critical-plain');
  await page.keyboard.press('a');
  await typed(page.locator(`[data-id="${plain}"]`), 'deploy', 'Yes, approve critical risk');
  assert.equal(await decided(plain), 'approved');

  const edited = await ask('critical-edited');
  await page.keyboard.press('e');
  await page.locator('textarea:focus').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('{"to":"staging"}');
  await page.keyboard.press('Control+Enter');
  await typed(page.locator(`[data-id="${edited}"]`), 'deploy', 'Yes, approve critical risk as edited');
  assert.equal(await decided(edited), 'edited');

  const granted = await ask('critical-granted');
  await page.keyboard.press('s');
  await page.locator('dialog').getByRole('button', { name: 'Send' }).click();
  await typed(page.locator('dialog'), 'deploy', 'Yes, approve critical risk from now on');
  assert.equal(await decided(granted), 'approved');

  // A name that no keyboard has.
  const odd = await ask('critical-odd', { tool: 'deploy\u202e' });
  await page.keyboard.press('a');
  await page.locator('.confirm', { hasText: 'Type approve to confirm' }).waitFor();
  await page.keyboard.type('approve');
  await page.locator('.confirm button.sure:enabled').waitFor();
  await page.keyboard.press('Enter');
  assert.equal(await decided(odd), 'approved');
});

test('denied with a reason', async () => {
  await window.leave();
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
  await window.leave(); // where it was chosen by the list, in the place of the one before, a key would wait
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
  await window.leave();
  await daemon.ask('ask-e', { tool: 'edit', args: { path: 'a.py', old_string: 'one\ntwo', new_string: 'one\nthree' } });
  await window.to('#/approvals', '.diff');
  assert.deepEqual([await page.locator('.diff .del').innerText(), await page.locator('.diff .add').innerText()].map((line) => line.trim()), ['- two', '+ three']);
});

test('a later decision shows the winner', async () => {
  const { id } = await daemon.ask('ask-f', { tool: 'bash', args: { command: 'race' } });
  await window.leave();
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
  await visitor.page.locator('.notice', { hasText: 'headway dashboard prints a link with a code to log in' }).waitFor();
  await visitor.page.getByRole('link', { name: 'Log in', exact: true }).waitFor();
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
  await page.getByText('The URL was used already').waitFor();
  const url = await closed.loginUrl();
  await page.goto(url);
  await page.locator('.link.live').waitFor();
  await page.getByText('No agent is running', { exact: true }).waitFor();
  await page.goto(`${closed.url}/#/login`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('On the machine where the daemon runs').waitFor();
  await page.goto(url); // a second time
  await page.getByText('The URL was used already').waitFor();
  await page.context().close();
  await closed.close();
});

// Two requests of high risk, alone on the page, the first one chosen.
async function twoRisky(name) {
  await window.leave();
  const ids = [];
  for (const to of ['one', 'two']) ids.push((await daemon.ask(name, { tool: 'deploy', args: { to }, risk: 'high' })).id);
  await window.to(`#/approvals?id=${ids[0]}`, `[data-id="${ids[0]}"].here`);
  await page.locator(`[data-id="${ids[1]}"]`).waitFor();
  return ids;
}

test('the key y confirms the chosen request and no other, and none that has just been chosen', async () => {
  const [first, second] = await twoRisky('two-open');
  const sure = (id) => page.locator(`[data-id="${id}"] .sure:enabled`);
  await page.keyboard.press('a');
  await sure(first).waitFor();
  await page.keyboard.press('j');
  await page.locator(`[data-id="${second}"].here`).waitFor();
  await page.keyboard.press('y'); // the question stands in the first one
  await page.keyboard.press('a');
  await sure(second).waitFor();
  assert.equal(await status(first), 'pending');
  await page.keyboard.press('k');
  await page.locator(`[data-id="${first}"].here`).waitFor();
  await sure(first).waitFor();
  await page.keyboard.press('y');
  assert.equal(await decided(first), 'approved');
  await page.locator(`[data-id="${second}"].here`).waitFor();
  await page.keyboard.press('y'); // a second press of the same finger
  await sure(second).waitFor();
  assert.equal(await status(second), 'pending');
  await page.keyboard.press('y');
  assert.equal(await decided(second), 'approved');
});

test('a confirmation for all identical requests begins again when they become more', async () => {
  await window.leave();
  const ask = (session) => daemon.ask(session, { tool: 'drop', args: { table: 't' }, risk: 'high' });
  const [{ id }] = [await ask('more-1'), await ask('more-2')];
  await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
  const card = page.locator(`[data-id="${id}"]`), sure = card.locator('.sure');
  await card.getByRole('button', { name: /All 2 identical/ }).click();
  await card.getByRole('button', { name: /^Approve all 2/ }).click();
  await card.locator('.sure:enabled').waitFor();
  const node = await sure.elementHandle();
  await ask('more-3');
  await sure.getByText('all 3').waitFor();
  assert.equal(await node.evaluate((button) => button.isConnected), false, 'another question');
  await page.keyboard.press('Escape');
  await card.getByRole('button', { name: /^Deny all 3/ }).click();
  await card.locator('form input:focus').waitFor();
  await card.getByRole('button', { name: 'Deny all 3' }).click();
  assert.equal(await decided(id), 'rejected');
});

test('typed words are there for another try after the daemon did not answer', async () => {
  await window.leave();
  const { id } = await daemon.ask('typed', { tool: 'deploy', args: { to: 'prod' }, risk: 'low' });
  await window.to(`#/approvals?id=${id}`, `[data-id="${id}"].here`);
  await page.route('**/decision', (route) => route.abort('connectionrefused'), { times: 1 });
  await page.keyboard.press('d');
  const field = page.locator(`[data-id="${id}"] form input`);
  await field.fill('not on a Friday');
  await field.press('Enter');
  await page.locator(`[data-id="${id}"] [role=alert]`).waitFor();
  assert.equal(await field.inputValue(), 'not on a Friday');
  await field.press('Enter');
  assert.equal(await decided(id), 'rejected');
  assert.equal((await daemon.get(`/v1/approvals/${id}`)).decision.reason, 'not on a Friday');
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
