// SPDX-License-Identifier: Apache-2.0

// The fleet for a person who has three seconds: what needs him in few lines with real numbers, trees with the cost of all below, order by
// every head, and a phone on which each title can be read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, launch, tool, until, visit } from './support.mjs';

const STUCK = 8;
let daemon, browser, window;
const use = (cost) => ({ type: 'heartbeat', data: { phase: 'run', iteration: 1, usage: { input_tokens: 40000, output_tokens: 900, cost_usd: cost } } });
const loop = (command, times = 12) => Array.from({ length: times }, (_, i) => tool('bash', { command }, { round: i + 1, ok: true, result: '' }));

before(async () => {
  daemon = await new Daemon({ 'policy.heartbeat_interval': '1m' }).start();
  for (let i = 0; i < STUCK; i++) {
    await daemon.open(`loop-${i}`, { goal: `Find the configuration of part ${i}`, labels: { team: i % 2 ? 'web' : 'data' } });
    await daemon.report(`loop-${i}`, use(1.25), ...loop('find . -name config.json'));
  }
  await daemon.open('lead', { goal: 'Write the tests', agent: { type: 'lead' } });
  await daemon.report('lead', use(0.5), tool('edit', { path: 'a' }, { round: 1, mutated: [{ path: 'a', digest: 'd1' }] }));
  await daemon.open('child', { goal: 'Run them', parent: 'lead' });
  await daemon.report('child', use(0.75), ...loop('make test'));
  await daemon.open('fine', { goal: 'Make progress' });
  await daemon.report('fine', ...[1, 2, 3].map((i) => tool('edit', { path: `f${i}` }, { round: i, mutated: [{ path: `f${i}`, digest: `d${i}` }] })));
  await daemon.open('harmless');
  await daemon.ask('harmless', { tool: 'read', args: { path: 'x' }, risk: 'low' });
  await daemon.open('danger', { goal: 'Free space on the host' });
  await daemon.ask('danger', { tool: 'bash', args: { command: 'rm -rf /var/lib/postgresql' }, risk: 'critical' });
  await until(async () => (await daemon.get('/v1/overview')).counts.stuck >= STUCK + 1, 'the loops');
  browser = await launch();
  window = await visit(browser, daemon);
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

const lines = () => window.page.locator('.need').allInnerTexts();
const ids = () => window.page.locator('tr[data-id]').evaluateAll((rows) => rows.map((row) => row.dataset.id));

test('what needs a person is at most six lines, the most urgent first, each with its number', async () => {
  await window.to('#/', '.need');
  await until(async () => (await window.page.locator('.need .pulse').count()) > 0, 'pulses');
  const all = await lines();
  assert.ok(all.length <= 6, all.join('\n--\n'));
  assert.match(all[0], /Critical decision[^]*Free space on the host[^]*Decide…/);
  assert.ok(all.some((line) => /9 stuck/.test(line)), all.join('\n--\n'));
});

test('the badge counts the requests that wait, and no alarm', async () => {
  const { id } = await daemon.ask('alarming', { tool: 'deploy', call_id: 'c1', args: {} });
  await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'reject', reason: 'no' }, daemon.token());
  await daemon.report('alarming', { type: 'tool.finished', data: { tool: 'deploy', call_id: 'c1', args: {}, ok: true } });
  await window.page.locator('.need.k-alarm').waitFor();
  await until(async () => (await window.page.locator('.badge').innerText()) === '2', 'two requests');
  await daemon.call('POST', '/v1/sessions/alarming/alarms/acknowledge', {}, daemon.token());
  await window.page.locator('.need.k-alarm').waitFor({ state: 'detached' });
});

test('all loops of one cause are nudged at once, and a refusal of one is said', async () => {
  await window.to('#/', '.need.k-stuck');
  const line = window.page.locator('.need.k-stuck').first();
  await line.getByRole('button', { name: 'Nudge all…' }).click();
  const dialog = window.page.locator('dialog[open]');
  assert.match(await dialog.innerText(), /POST \/v1\/sessions\/\S+\/nudge[^]*and 5 more/);
  await dialog.getByRole('textbox').fill('Read the README first.');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.waitFor({ state: 'detached' });
  await window.page.locator('.answers', { hasText: 'Nudged 9 sessions' }).waitFor();
  for (const id of ['loop-0', 'child']) {
    const { directives } = await daemon.get('/v1/sessions/' + id);
    assert.ok(directives.some((d) => d.reason.includes('Read the README first.')), id);
  }
});

test('a line is opened, one of its sessions marked, and the actions are for that one', async () => {
  await window.to('#/', '.need.k-stuck');
  const line = window.page.locator('.need.k-stuck').first();
  await line.locator('button.what').press('Enter');
  await line.getByRole('checkbox').first().press('Space');
  await line.getByRole('button', { name: 'Stop 1…' }).waitFor();
  await line.locator('.members a').nth(1).focus();
  await window.page.keyboard.press('x');
  await line.getByRole('button', { name: 'Stop 2…' }).waitFor();
  await line.locator('button.what').press('Enter');
});

test('what was put aside is gone from lines, title and announcement until it changes, and comes back when asked for', async () => {
  await window.to('#/', '.need.k-stuck');
  const before = await window.page.title();
  for (let left = await window.page.locator('.need.k-stuck').count(); left; left--) await window.page.locator('.need.k-stuck').first().getByRole('button', { name: 'Snooze' }).click();
  await window.page.locator('.need.k-stuck').waitFor({ state: 'detached' });
  await until(async () => (await window.page.title()) !== before, 'the number in the title');
  assert.match(await window.page.title(), /^\(2\)/);
  for (let left = await window.page.locator('.need').count(); left; left--) await window.page.locator('.need').first().getByRole('button', { name: 'Seen' }).click();
  await window.page.getByText('Nothing else needs you right now.').waitFor();
  await window.page.getByRole('button', { name: 'Show again' }).click();
  await window.page.locator('.need.k-stuck').first().waitFor();
});

test('on other pages what needs a person is one line', async () => {
  await window.to('#/system', '.brief');
  assert.ok(await window.page.locator('.needs').evaluate((node) => node.getBoundingClientRect().height) <= 48);
  await window.to('#/', '.need');
});

test('a sub-agent stands below its parent, which says the worst below it and the cost of both', async () => {
  await window.to('#/', 'tr[data-id=lead]');
  const order = await ids(), lead = window.page.locator('tr[data-id=lead]');
  assert.equal(order.indexOf('child'), order.indexOf('lead') + 1);
  assert.ok(order.indexOf('lead') < order.indexOf('fine'), 'where its worst sub-agent puts it');
  assert.match(await lead.innerText(), /1 sub-agent, worst stuck/);
  assert.match(await lead.locator('.money').innerText(), /Σ \$1\.25/);
  await lead.getByRole('button', { name: /Sub-agents/ }).press('Enter');
  await window.page.locator('tr[data-id=child]').waitFor({ state: 'detached' });
  while (!(await lead.evaluate((row) => row.classList.contains('here')))) await window.page.keyboard.press('j');
  await window.page.keyboard.press('ArrowRight');
  await window.page.locator('tr[data-id=child]').waitFor();
});

test('the worst stand first; a click on a head sorts by it, and that is remembered', async () => {
  await window.to('#/', 'tr[data-id=fine]');
  assert.equal((await ids())[0], 'danger');
  assert.equal((await ids()).at(-1), 'fine');
  await window.page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
  await until(async () => /^(loop|lead)/.test((await ids())[0]), 'the dearest first');
  await window.to('#/system', '.card');
  await window.to('#/', 'tr[data-id=fine]');
  assert.equal(await window.page.getByRole('columnheader', { name: 'Cost' }).getAttribute('aria-sort'), 'descending');
  await window.page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
  await until(async () => (await ids())[0] === 'danger', 'the worst first again');
});

test('the parts of the sentence filter', async () => {
  await window.to('#/', '.sentence');
  await window.page.locator('.sentence').getByRole('button', { name: /stuck/ }).click();
  await until(async () => (await ids()).length === STUCK + 1, 'the stuck ones');
  assert.match(window.page.url(), /status=stuck/);
  await window.page.locator('.sentence').getByRole('button', { name: /stuck/ }).click();
  await until(async () => (await ids()).length > STUCK + 1, 'all of them');
});

test('the pulse of a loop is flat with how often, that of a healthy agent is not', async () => {
  await window.to('#/', 'tr[data-id=loop-0]');
  const pulse = (id) => window.page.locator(`tr[data-id=${id}] .pulse`);
  assert.match(await pulse('loop-0').getAttribute('aria-label'), /1\d rounds with nothing new/);
  assert.match(await pulse('loop-0').textContent(), /×1\d/);
  assert.equal(await pulse('fine').locator('.bracket').count(), 0);
  assert.equal(await pulse('fine').locator('.hard').count(), 1);
});

for (const width of [1024, 1280, 1440, 1920]) {
  test(`no cost is cut off at ${width} pixels`, async () => {
    await window.page.setViewportSize({ width, height: 900 });
    await window.to('#/', 'tr[data-id=loop-0]');
    const cut = await window.page.locator('td.money').evaluateAll((cells) => cells.flatMap((cell) => [...cell.children]).filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent));
    assert.deepEqual(cut, []);
    const { goal, whole } = await window.page.evaluate(() => ({ goal: document.querySelector('.fleet th:nth-child(2)').offsetWidth, whole: document.querySelector('.fleet').offsetWidth }));
    assert.ok(goal / whole > 0.34, `the session has ${goal} of ${whole} pixels`);
    await window.page.setViewportSize({ width: 1440, height: 900 });
  });
}

test('on a phone each thing that needs a person has a title to read and targets for a thumb', async () => {
  await window.page.setViewportSize({ width: 390, height: 844 });
  await window.to('#/', '.need');
  const seen = await window.page.evaluate(() => ({
    titles: [...document.querySelectorAll('.need .what')].map((one) => one.getBoundingClientRect().width),
    targets: [...document.querySelectorAll('.need .acts button, .part')].map((one) => one.getBoundingClientRect().height), first: document.querySelector('.need').getBoundingClientRect().top }));
  assert.ok(seen.titles.every((width) => width > 200), String(seen.titles));
  assert.ok(seen.targets.every((height) => height >= 44), String(seen.targets));
  assert.ok(seen.first < 240, `the first card begins at ${seen.first}`);
  await window.page.setViewportSize({ width: 1440, height: 900 });
});

test('on a tablet each thing that needs a person has its reason below its title', async () => {
  await window.page.setViewportSize({ width: 768, height: 1024 });
  await window.to('#/', '.need');
  const below = await window.page.locator('.need').evaluateAll((all) => all.map((one) => {
    const [what, why] = ['.what', '.why'].map((part) => one.querySelector(part).getBoundingClientRect());
    return what.width > 150 && why.width > 150 && why.top >= what.bottom - 1;
  }));
  assert.ok(below.length > 0 && below.every(Boolean), String(below));
  await window.page.setViewportSize({ width: 1440, height: 900 });
});

test('a goal from right to left keeps its first word', async () => {
  await daemon.open('rtl', { goal: 'أصلح اختبار تسجيل الدخول الذي يفشل أحيانا في بيئة التكامل المستمر عند تشغيل جميع الاختبارات معا على خادم بطيء جدا' });
  await daemon.report('rtl', use(0.01));
  await window.page.setViewportSize({ width: 1024, height: 800 });
  await window.to('#/?q=rtl', 'tr[data-id=rtl]');
  const link = window.page.locator('tr[data-id=rtl] .goal a');
  assert.equal(await link.evaluate((node) => getComputedStyle(node).direction), 'rtl');
  await window.page.setViewportSize({ width: 1440, height: 900 });
});

test('control and K open the palette from anywhere, also from a field; it finds pages, sessions and actions', async () => {
  await window.to('#/', '.search input');
  await window.page.locator('.search input').focus();
  await window.page.keyboard.press('Control+k');
  const dialog = window.page.locator('dialog[open]');
  await dialog.getByRole('combobox').fill('part 3');
  await dialog.getByRole('option', { name: /part 3.*loop-3/ }).first().waitFor();
  await window.page.keyboard.press('Enter');
  await window.page.locator('.title h1', { hasText: 'part 3' }).waitFor();
  await window.page.keyboard.press('Control+k');
  await dialog.getByRole('combobox').fill('nudge');
  await dialog.getByRole('option', { name: /Nudge/ }).first().waitFor();
  await window.page.keyboard.press('Enter');
  await window.page.locator('dialog[open]', { hasText: 'Your hint' }).waitFor();
  await window.page.keyboard.press('Escape');
});

test('the wall has a pulse of every open session', async () => {
  await window.to('#/wall', '.tile');
  await until(async () => (await window.page.locator('.tile .pulse').count()) === (await daemon.get('/v1/overview')).open, 'a tile each');
});

test('an alarm is the first tile of the wall and says what happened; no loop looks like it', async () => {
  const { id } = await daemon.ask('wall-alarm', { tool: 'deploy', call_id: 'c1', args: {} });
  await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'reject', reason: 'no' }, daemon.token());
  await daemon.report('wall-alarm', { type: 'tool.finished', data: { tool: 'deploy', call_id: 'c1', args: {}, ok: true } });
  await window.to('#/wall', '.tile.alarmed strong');
  assert.match(await window.page.locator('.tile').first().innerText(), /^ran although it was rejected/);
  const grounds = (tiles) => window.page.locator(tiles).evaluateAll((all) => [...new Set(all.map((tile) => getComputedStyle(tile).backgroundColor))]);
  const [alarm, others] = [await grounds('.tile.alarmed a'), await grounds('.tile:not(.alarmed) a')];
  assert.ok(alarm.length === 1 && others.length === 1 && alarm[0] !== others[0], `${alarm} and ${others}`);
  assert.ok(await window.page.locator('.tile.s-stuck:not(.alarmed)').count() > 0);
  await daemon.call('POST', '/v1/sessions/wall-alarm/alarms/acknowledge', {}, daemon.token());
  await window.page.locator('.tile.alarmed').waitFor({ state: 'detached' });
});

test('the digest of 12 hours leads to each session by its goal', async () => {
  await daemon.open('a-part', { goal: 'Part of it', parent: 'lead' });
  await daemon.open('an-end', { goal: 'Ends well' });
  await daemon.open('no-end', { goal: 'Ends badly' });
  for (const id of ['a-part', 'an-end', 'no-end']) await daemon.call('POST', `/v1/sessions/${id}/end`, { outcome: id === 'no-end' ? 'failed' : 'completed' });
  await window.to('#/system', 'a[href="#/digest"]');
  await window.page.locator('a[href="#/digest"]').click();
  const ended = window.page.getByRole('region', { name: 'Ended' });
  assert.match(await ended.innerText(), /^Ended\s+2, and 1 sub-agent completed\s+Ends badly\s+failed[^]*Ends well\s+completed/);
  assert.match(await window.page.getByRole('region', { name: 'Loops' }).innerText(), /part 3\s+still stuck · \$/);
  await window.page.getByRole('region', { name: 'Loops' }).getByRole('link', { name: /part 3/ }).first().click();
  await window.page.locator('.title h1', { hasText: 'part 3' }).waitFor();
});

test('the cost of all sessions is summed by agent, model, label or day', async () => {
  await window.to('#/costs', '.costs td');
  const rows = () => window.page.locator('.costs tbody tr').allInnerTexts();
  await until(async () => (await rows()).some((row) => /not said[^]*\$10\.7/.test(row)), 'the loops and the child');
  assert.ok((await rows()).some((row) => /lead[^]*\$0\.50/.test(row)), String(await rows()));
  await window.page.getByRole('combobox', { name: 'By' }).selectOption('label team');
  await until(async () => (await rows()).some((row) => /web[^]*\$5\.00/.test(row)) && (await rows()).some((row) => /data[^]*\$5\.00/.test(row)), 'by label');
  await window.page.setViewportSize({ width: 390, height: 844 });
  const lines = await window.page.locator('.p-costs td:last-child, .costs td:nth-child(2)').evaluateAll((all) => all.map((cell) => { // boxes of its text
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getClientRects().length;
  }));
  assert.ok(lines.length > 0 && lines.every((n) => n === 1), `a figure is broken into lines: ${lines}`);
  await window.page.setViewportSize({ width: 1440, height: 900 });
});

test('an alarm that was put aside is there again with the next alarm of its session', async () => {
  await window.to('#/', 'table.fleet');
  for (const name of ['first', 'second']) {
    await daemon.ask('alarms', { tool: name, call_id: name, args: {} });
    await daemon.report('alarms', { type: 'tool.finished', data: { tool: name, call_id: name, args: {}, ok: true } });
    const line = window.page.locator('.need.k-alarm');
    await line.waitFor();
    await line.getByRole('button', { name: 'Seen' }).click();
    await line.waitFor({ state: 'detached' });
  }
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
