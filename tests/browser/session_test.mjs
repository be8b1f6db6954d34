// SPDX-License-Identifier: Apache-2.0

// One session: what its budget really did, its whole run, its evidence as what was called and what came back, its journal in turns.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, launch, tool, until, visit } from './support.mjs';

let daemon, browser, window;
before(async () => {
  daemon = await new Daemon({ 'policy.heartbeat_interval': '1m' }).start();
  browser = await launch();
  window = await visit(browser, daemon);
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

const figures = () => window.page.locator('.plain').filter({ hasText: 'Tokens' }).locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));

test('the figures of a budget have the tokens and steps that each event told', async () => {
  await daemon.open('spends', { goal: 'Spend', budget: { max_tokens: 10000, max_steps: 10 } });
  for (let i = 1; i <= 4; i++) {
    await daemon.report('spends', { type: 'heartbeat', data: { iteration: i, usage: { input_tokens: 900, output_tokens: 100 } } }, tool('bash', { command: `step ${i}` }, { round: i, result: String(i) }));
  }
  await window.to('#/session/spends', '.plot canvas');
  await window.page.getByText('Figures', { exact: true }).click();
  await until(async () => (await figures()).length > 5, 'the figures');
  const rows = await figures(), head = await window.page.locator('.plain').filter({ hasText: 'Tokens' }).locator('th').allInnerTexts();
  const tokens = rows.map((row) => row[head.indexOf('Tokens')]), steps = rows.map((row) => row[head.indexOf('Steps')]);
  assert.deepEqual([...new Set(tokens)], ['0 %', '10 %', '20 %', '30 %', '40 %']);
  assert.deepEqual([...new Set(steps)], ['0 %', '10 %', '20 %', '30 %', '40 %']);
});

test('the timeline covers the whole run of many events, and a verdict that it ended with is seen', async () => {
  await daemon.open('long-run', { goal: 'Run long' });
  for (let i = 0; i < 6; i++) await daemon.report('long-run', ...Array.from({ length: 50 }, (_, k) => tool('bash', { command: `step ${i}.${k}` }, { round: i * 50 + k + 1, result: `${i} ${k}` })));
  await daemon.call('POST', '/v1/sessions/long-run/end', { outcome: 'failed', reason: 'enough' });
  const doc = await daemon.get('/v1/sessions/long-run');
  assert.ok(doc.n > 200);
  await window.to('#/session/long-run', '.lanes rect.s-failed');
  assert.ok(await window.page.locator('.lanes rect.s-failed').last().evaluate((rect) => rect.getBBox().x + rect.getBBox().width <= 1001 && rect.getBBox().width >= 10), 'a width that is seen');
  const note = await window.page.getByRole('region', { name: 'Timeline' }).locator('header').innerText();
  assert.match(note, /marks of \d+ of \d+ events/);
  const starts = await window.page.locator('.lanes rect').first().evaluate((rect) => rect.getBBox().x);
  assert.equal(starts, 0);
});

test('an id of 120 characters and a goal of 1,100 leave a phone its width and the verdict its place', async () => {
  const id = 'x'.repeat(120);
  await daemon.open(id, { goal: 'A very long goal. '.repeat(62) });
  await daemon.report(id, tool('bash', { command: 'make' }, { round: 1, result: 'x' }));
  await window.page.setViewportSize({ width: 390, height: 844 });
  await window.to('#/session/' + id, '.verdict');
  assert.equal(await window.page.evaluate(() => document.documentElement.scrollWidth), 390);
  const top = await window.page.locator('.verdict').evaluate((card) => card.getBoundingClientRect().top);
  assert.ok(top < 844, `the verdict begins at ${top}`);
  await window.page.getByRole('button', { name: 'more…' }).click();
  assert.ok(await window.page.locator('h1').evaluate((head) => head.scrollHeight <= head.clientHeight + 1), 'all of the goal');
  await window.page.setViewportSize({ width: 1440, height: 900 });
});

test('the verdict of a loop shows the call, its result, and how long it lasts by now', async () => {
  await daemon.open('loops', { goal: 'Loop' });
  const again = (from, to) => daemon.report('loops', ...Array.from({ length: to - from }, (_, i) => tool('bash', { command: 'find . -name config.json' }, { round: from + i, ok: false, error: { class: 'exit_1', message: 'nothing found' } })));
  await again(1, 12);
  await window.to('#/session/loops', '.verdict .shell');
  const verdict = window.page.locator('.verdict');
  assert.match(await verdict.locator('.shell').innerText(), /^\$ find \. -name config\.json/);
  assert.match(await verdict.locator('.result').innerText(), /nothing found/);
  await verdict.getByText(/1[01] rounds with nothing new, up to now/).waitFor();
  await again(12, 30);
  await verdict.getByText(/2[89] rounds with nothing new, up to now/).waitFor();
});

test('an alarm comes first and says what ran, and who had said no and why; Stop is its one strong button', async () => {
  const { id } = await daemon.ask('ran', { tool: 'bash', call_id: 'c1', args: { command: 'rm -rf /srv/builds' }, risk: 'critical' });
  await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'reject', by: 'ana', reason: 'those are the release artefacts' }, daemon.token());
  await daemon.report('ran', tool('bash', { command: 'rm -rf /srv/builds' }, { call_id: 'c1', ok: true }));
  await window.to('#/session/ran', '.alarms .shell');
  const alarms = window.page.locator('.alarms');
  assert.match(await alarms.locator('.shell').innerText(), /rm -rf \/srv\/builds/);
  await alarms.getByText(/ana.* had said no.*those are the release artefacts/).waitFor();
  assert.equal(await window.page.locator('main > *').first().getAttribute('aria-label'), 'Alarms');
  assert.equal(await alarms.locator('h2').innerText(), 'bash ran although it was rejected');
  const buttons = await window.page.locator('main button').evaluateAll((all) => all.map((button) => [button.innerText, button.className]));
  assert.deepEqual(buttons.filter(([, kind]) => /primary|danger/.test(kind)), [['Stop…', 'primary sure']]);
  assert.equal(new Map(buttons).get('Acknowledge…'), 'quiet');
  await alarms.getByRole('button', { name: 'Stop…' }).click();
  await window.page.locator('dialog').getByRole('button', { name: 'Send' }).click();
  await window.page.locator('.answers', { hasText: 'Asked to stop: ran' }).waitFor();
});

test('the worst alarm is the headline; one that is raised while a person writes the acknowledgement stays', async () => {
  const run = async (command, call_id, decision) => {
    const { id } = await daemon.ask('several', { tool: 'bash', call_id, args: { command } });
    if (decision) await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision, by: 'ana' }, daemon.token());
    await daemon.report('several', tool('bash', { command }, { call_id, ok: true }));
  };
  await run('make early', 'c1');
  await run('rm -rf /srv', 'c2', 'reject');
  await window.to('#/session/several', '.alarms');
  const alarms = window.page.locator('.alarms'), dialog = window.page.locator('dialog');
  assert.equal(await alarms.locator('h2').innerText(), 'bash ran although it was rejected');
  await alarms.getByRole('button', { name: 'Acknowledge…' }).click();
  await dialog.getByRole('button', { name: 'Send' }).waitFor();
  await run('dd of=/dev/sda', 'c3', 'reject');
  await alarms.locator('li').nth(2).waitFor();
  await dialog.getByRole('button', { name: 'Send' }).click();
  await alarms.locator('li').nth(1).waitFor({ state: 'detached' });
  const left = (await daemon.get('/v1/sessions/several')).alarms;
  assert.deepEqual(left.map(({ kind, times }) => [kind, times]), [['executed_though_rejected', 1]]);
});

test('the journal is in turns: beats and repeats are folded with their number, and the raw event is a key away', async () => {
  await daemon.open('turns', { goal: 'Take turns' });
  await daemon.report('turns', { type: 'message', data: { role: 'user', text: 'Begin.' } }, ...Array.from({ length: 7 }, (_, i) => ({ type: 'heartbeat', data: { iteration: i } })),
    ...Array.from({ length: 9 }, () => tool('bash', { command: 'ls' }, { result: 'same', duration_ms: 12 })), { type: 'test.result', data: { passed: 38, failed: 2 } }, { type: 'test.result', data: { passed: 40, failed: 0 } });
  await window.to('#/session/turns?view=turns', '.turns li');
  const list = window.page.locator('.turns');
  await list.getByText('7 heartbeats').waitFor();
  await list.getByText('×9', { exact: true }).waitFor();
  await list.getByText(/38 → .*40 passed/).waitFor();
  const call = list.locator('.t-call').first();
  await call.locator('button').press('Enter');
  await call.locator('.shell').waitFor();
  await window.page.locator('h1').click();
  await window.page.keyboard.press('r');
  await call.locator('pre.json', { hasText: '"call_id"' }).or(call.locator('pre.json', { hasText: '"type"' })).first().waitFor();
});

test('a hidden character in a command or a result is shown as such in every place', async () => {
  await daemon.open('hides', { goal: 'Hide \u202egnihton' });
  await daemon.report('hides', ...Array.from({ length: 12 }, (_, i) => tool('bash', { command: 'ls \u202etxt.exe' }, { round: i + 1, ok: false, error: { class: 'x', message: 'no\u200bthing' } })));
  await window.to('#/session/hides?view=turns', '.verdict .shell mark');
  assert.ok(await window.page.locator('.turns mark').count() > 0);
  for (const [hash, ready] of [['#/session/hides', '.verdict .shell'], ['#/', 'tr[data-id=hides]'], ['#/wall', '.tile'], ['#/costs', '.costs']]) {
    await window.to(hash, ready);
    const text = await window.page.locator('body').innerText();
    assert.ok(!/[\u202e\u200b]/.test(text), hash);
  }
});

test('after a decision the page says what became of it', async () => {
  await daemon.open('asks', { goal: 'Ask' });
  await daemon.ask('asks', { tool: 'read', call_id: 'c7', args: { path: 'x' }, risk: 'low' });
  await window.to('#/session/asks', '.approval');
  await window.page.keyboard.press('a');
  await window.page.locator('.answers', { hasText: 'Approved read' }).waitFor();
  await daemon.report('asks', tool('bash', { command: 'went on' }, { round: 2, result: 'x' }));
  await window.page.locator('.answers', { hasText: 'it has gone on: bash: went on' }).waitFor();
});

test('a pause is taken back where its answer stands', async () => {
  await daemon.open('pauses', { goal: 'Pause' });
  await daemon.report('pauses', tool('bash', { command: 'x' }, { round: 1, result: 'y' }));
  await window.to('#/session/pauses', '.actions');
  const pending = async () => (await daemon.get('/v1/sessions/pauses')).directives.map((d) => d.type);
  await window.page.getByRole('button', { name: 'Pause…' }).click();
  await window.page.getByRole('button', { name: 'Send' }).click();
  const said = window.page.locator('.answers p', { hasText: 'Asked to pause' });
  await said.getByRole('button', { name: 'Undo' }).click();
  await until(async () => !(await pending()).includes('pause'), 'no pause any more');
});

test('a session that a rejection stopped can be resumed', async () => {
  await daemon.open('halted', { goal: 'Stop' });
  const asked = await daemon.ask('halted', { tool: 'deploy', args: {} });
  await daemon.call('POST', `/v1/approvals/${asked.id}/decision`, { decision: 'reject' }, daemon.token());
  await window.to('#/session/halted', '.actions');
  await window.page.getByRole('button', { name: 'Resume…' }).click();
  await window.page.getByRole('button', { name: 'Send' }).click();
  await window.page.getByRole('button', { name: 'Pause…' }).waitFor();
});

test('a path that is no text breaks no page', async () => {
  await daemon.report('odd-path', tool('edit', { path: 5, file_path: { a: 1 }, old_string: 'old', new_string: 'new' }, { ok: true }));
  await window.to('#/session/odd-path?view=turns', '.turns li');
  await window.page.locator('.turns li.t-call button').first().click();
  await window.page.locator('.turns .diff').waitFor();
  assert.equal(await window.page.getByText('This page has failed').count(), 0);
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
