// SPDX-License-Identifier: Apache-2.0

// The history: how each run ended, how long it ran and was stuck, how many ended how, and two runs compared round by round.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Daemon, each, launch, tool, until, visit } from './support.mjs';

const AXE = fs.readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const PICTURES = process.env.HEADWAY_SCREENSHOTS;
const STUCK_MS = 1200;
const MANY = 10000;
const COMPARED = '#/compare?a=looped&b=fixed';

let daemon, browser, window;
const use = (cost) => ({ type: 'heartbeat', data: { phase: 'run', iteration: 1, usage: { input_tokens: 40000, output_tokens: 900, cost_usd: cost } } });
const look = (round) => tool('read', { path: `src/part_${round}.py` }, { round, result: `part ${round}` });
const end = (id, outcome, reason) => daemon.call('POST', `/v1/sessions/${id}/end`, { outcome, reason });

before(async () => {
  daemon = await new Daemon({ 'policy.heartbeat_interval': '1m' }).start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

async function fill() {
  await daemon.open('looped', { goal: 'Make the parser accept comments', agent: { type: 'coder', model: 'qwen3-coder' }, labels: { team: 'web' } });
  await daemon.report('looped', use(1.5), look(1), look(2), ...Array.from({ length: 12 }, (_, i) => tool('bash', { command: 'make test' }, { round: i + 3, ok: false, error: { class: 'test_failure', message: 'AssertionError: <img src=x onerror=alert(1)>' } })));
  await until(async () => {
    const { verdict } = await daemon.get('/v1/sessions/looped');
    return verdict.status === 'stuck' && Date.now() - Date.parse(verdict.since) > STUCK_MS;
  }, 'a second of stuck');
  await end('looped', 'failed', 'gave up');
  await daemon.open('fixed', { goal: 'Make the parser accept comments', agent: { type: 'coder', model: 'qwen3-coder' }, labels: { team: 'docs' } });
  await daemon.report('fixed', use(0.4), look(1), look(2), tool('edit', { path: 'src/parser.py' }, { round: 3, mutated: [{ path: 'src/parser.py', digest: 'd1' }] }),
    tool('bash', { command: 'make test' }, { round: 4, result: 'ok' }), { type: 'test.result', data: { passed: 40, failed: 0 } });
  await end('fixed', 'completed', 'merged');
  for (const i of [1, 2]) { await daemon.open(`left-${i}`, { labels: { team: 'web' } }); await end(`left-${i}`, 'cancelled', 'not needed'); }
}

const row = (id) => window.page.locator(`tr[data-id=${id}]`);
const pill = (name) => window.page.locator('.counts').getByRole('button', { name });
const marks = () => window.page.locator('.pick input:checked').count();

test('an empty history says so, counts nothing, and an address without runs says how to mark two', async () => {
  window = await visit(browser, daemon);
  await window.to('#/history', '.empty');
  assert.match(await window.page.locator('.empty').innerText(), /headway scan --into http:\/\/127\.0\.0\.1:\d+ adds/);
  await until(async () => /^completed\s0$/.test(await pill('completed').innerText()), 'a count of none');
  await window.to('#/compare', '.card');
  await window.page.getByText('Two runs are compared').waitFor();
  await fill();
});

test('a row says when its run ended, how long it ran, what it cost and how long it was stuck', async () => {
  await window.to('#/history', 'tr[data-id=looped]');
  await row('looped').getByText(/was stuck \d s/).waitFor();
  const words = await row('looped').innerText();
  assert.match(words, /failed[^]*gave up[^]*\$1\.50[^]*ran \d s/);
  assert.match(await row('looped').locator('.pulse').getAttribute('aria-label'), /rounds with nothing new/);
  assert.doesNotMatch(await row('fixed').innerText(), /was stuck/);
});

test('the filters have counts, of those that a search or a label leaves', async () => {
  const counts = async () => (await window.page.locator('.counts button').allInnerTexts()).map((one) => one.replace(/\s+/g, ' ')).join(', ');
  await until(async () => (await counts()) === 'completed 1, failed 1, cancelled 2, halted 0', 'all');
  await window.to('#/history?label=team:web', 'tr[data-id=looped]');
  await until(async () => (await counts()) === 'completed 0, failed 1, cancelled 2, halted 0', 'those of a label');
  await pill('failed').click();
  await until(async () => (await window.page.locator('tr[data-id]').count()) === 1, 'the failed one');
  assert.equal(await counts(), 'completed 0, failed 1, cancelled 2, halted 0');
  await window.to('#/history', 'tr[data-id=fixed]');
  await daemon.open('late');
  await end('late', 'completed', 'done');
  await until(async () => (await counts()) === 'completed 2, failed 1, cancelled 2, halted 0', 'one more, by itself');
});

test('two runs are marked with the keyboard and compared, and the way back keeps the marks', async () => {
  await window.to('#/history?q=parser', 'tr[data-id=looped]');
  await until(async () => (await window.page.locator('tr[data-id]').count()) === 2, 'the two that the search finds');
  for (const key of ['j', 'x', 'j', 'x']) await window.page.keyboard.press(key);
  await window.page.getByText('2 runs marked').waitFor();
  await window.page.keyboard.press('c');
  await window.page.locator('.compare').first().waitFor();
  assert.match(window.page.url(), /#\/compare\?a=(fixed|looped)&b=(fixed|looped)$/);
  await window.page.keyboard.press('Escape');
  await row('looped').waitFor();
  assert.equal(await marks(), 2);
  await window.page.getByRole('button', { name: 'Clear' }).click();
  assert.equal(await marks(), 0);
});

test('a box marks a run without opening it; a third mark takes the place of the first', async () => {
  await window.to('#/history', 'tr[data-id=left-2]');
  for (const id of ['left-1', 'left-2', 'fixed']) await row(id).getByRole('checkbox').click();
  await until(() => /mark=left-2%2Cfixed/.test(window.page.url()), 'the last two in the address');
  assert.equal(await marks(), 2);
  await window.page.getByRole('button', { name: /Compare/ }).click();
  await window.page.getByText('different calls from the start').waitFor();
});

test('runs are aligned by round, with the first that differs', async () => {
  await window.to(COMPARED, '.compare');
  await window.page.getByText('the same calls up to round 2').waitFor();
  const table = window.page.getByRole('region', { name: 'Rounds' }), round = (n) => table.getByRole('row', { name: new RegExp(`^${n}\\b`) });
  assert.match(await round(3).innerText(), /differ[^]*make test[^]*AssertionError: <img src=x onerror=alert\(1\)>[^]*edit: src\/parser\.py/);
  assert.match(await round(4).innerText(), /40 passed/);
  assert.equal(await table.locator('td.other').count(), 22, 'round 3 and rounds 5 to 14, of both');
  assert.match(await round(14).innerText(), /–/);
  const figures = await window.page.getByRole('region', { name: 'Figures' }).innerText();
  assert.match(figures, /failed\s+completed[^]*gave up\s+merged[^]*stuck \d[^]*\$1\.50\s+\$0\.40/);
});

test('a run that there is not is named, and one that goes on is read again', async () => {
  await window.to('#/compare?a=fixed&b=no-such-run', '.notice.bad');
  await daemon.open('going', { goal: 'Go on' });
  await daemon.report('going', look(1), look(2));
  await window.to('#/compare?a=fixed&b=going', '.compare');
  await window.page.getByText('the same calls up to round 2').waitFor();
  await end('going', 'cancelled', 'stopped');
  await window.page.getByRole('region', { name: 'Figures' }).getByText('stopped').waitFor();
});

test('a session of the past says that it is recorded, and how long it ran then', async () => {
  const at = (seconds) => new Date(Date.now() - 3_600_000 + seconds * 1000).toISOString();
  await daemon.call('POST', '/v1/sessions/past/recorded', [{ type: 'session.started', at: at(0), data: { goal: 'Mend the past' } },
    { type: 'session.ended', at: at(90), event_id: 'end', data: { outcome: 'completed' } }]);
  await window.to('#/history?q=past', 'tr[data-id=past]');
  assert.match(await row('past').innerText(), /past · recorded[^]*ran 1 min 30 s/);
  await row('past').getByRole('link', { name: 'Mend the past' }).click();
  await window.page.getByText('recorded', { exact: true }).waitFor();
});

for (const theme of ['dark', 'light']) {
  test(`history and comparison in the ${theme} theme have no fault that axe finds, and fit a phone`, async () => {
    const view = await visit(browser, daemon, { colorScheme: theme, reducedMotion: 'reduce' });
    for (const width of [1280, 390]) {
      await view.page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      for (const [name, hash, ready] of [['history-marked', '#/history?mark=looped,fixed', '.marks'], ['compare', COMPARED, '.compare'], ['compare-nothing', '#/compare', '.p-compare kbd']]) {
        await view.to(hash, ready);
        if (name === 'history-marked') await view.page.getByText(/was stuck/).waitFor();
        if (!await view.page.evaluate(() => 'axe' in globalThis)) await view.page.evaluate(AXE);
        const { violations } = await view.page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
        assert.deepEqual(violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200)), [], `${name} ${width}`);
        assert.equal(await view.page.evaluate(() => document.documentElement.scrollWidth), width, name);
        if (PICTURES) await view.page.screenshot({ path: path.join(PICTURES, `${name}-${width}-${theme}.png`) });
      }
    }
    assert.deepEqual(view.trouble, []);
    await view.context.close();
  });
}

test(`${MANY} ended runs are drawn where the screen is, and the journal is read of these only`, async () => {
  await each(Array(MANY).keys(), async (i) => { await daemon.open(`many-${i}`, { goal: `Work ${i}` }); await end(`many-${i}`, i % 10 ? 'completed' : 'failed', 'done'); }, 64);
  const read = new Set();
  window.page.on('request', (request) => { if (request.url().includes('verdict.changed')) read.add(request.url()); });
  await window.to('#/history?q=work', 'tr[data-id]');
  await window.page.getByText(`${MANY.toLocaleString('en-US')} sessions`, { exact: true }).waitFor();
  await until(async () => /failed\s+1,000/.test(await window.page.locator('.counts').innerText()), 'the counts');
  const last = window.page.locator(`tr[aria-rowindex="${MANY + 1}"]`);
  await until(async () => {
    await window.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    return last.isVisible();
  }, 'the last row');
  assert.ok(await window.page.locator('tr[data-id]').count() < 80, 'only what is near the screen is drawn');
  await last.getByRole('checkbox').click();
  await window.page.getByText('1 run marked').waitFor();
  assert.ok(read.size < MANY / 4, `${read.size} journals were read`);
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
