// SPDX-License-Identifier: Apache-2.0

// Every page: accessibility in both themes, narrow screens; pictures with HEADWAY_SCREENSHOTS=DIR.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fill } from './example.mjs';
import { Daemon, launch, tool, until, visit } from './support.mjs';

const AXE = fs.readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const PICTURES = process.env.HEADWAY_SCREENSHOTS;
const PAGES = {
  fleet: ['#/', 'tr[data-id]'], grouped: ['#/?group=team', '.fleet tbody th'], nothing: ['#/?q=nothing-is-called-so', '.empty'], session: ['#/session/release-notes', '.plot canvas'], journal: ['#/session/release-notes?view=events', '.plot canvas'], wall: ['#/wall', '.tile'], costs: ['#/costs', '.costs td'], stuck: ['#/session/flaky-login-test?n=6', '.marked'],
  approvals: ['#/approvals', '.approval'], digest: ['#/digest', '.list a'], decided: ['#/approvals?show=decided', '.plain td, .empty'], history: ['#/history', 'tr[data-id]'], connect: ['#/connect', '.plain td'], system: ['#/system', 'section[aria-label=Webhooks] td'], login: ['#/login?failed=1', '.card'],
};

let daemon, browser;
before(async () => {
  daemon = await new Daemon({ 'legacy_timeouts.mode': 'observe', 'policy.heartbeat_interval': '1m', 'webhooks.endpoints.ops.url': 'http://127.0.0.1:9/x', 'webhooks.endpoints.ops.secret_env': 'NO_SUCH_VARIABLE' }).start();
  browser = await launch();
  await fill(daemon);
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

async function serious(page) {
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message || '')).join(' | ')}`);
}

for (const theme of ['dark', 'light']) {
  test(`every page in the ${theme} theme has no fault that axe finds`, async () => {
    const window = await visit(browser, daemon, { colorScheme: theme, reducedMotion: 'reduce' });
    const found = {};
    const look = async (name) => {
      const problems = await serious(window.page);
      if (problems.length) found[name] = problems;
      if (PICTURES) await window.page.screenshot({ path: path.join(PICTURES, `${name}-${theme}.png`), fullPage: name === 'session' });
    };
    for (const [name, [hash, ready]] of Object.entries(PAGES)) {
      await window.to(hash, ready);
      await look(name);
    }
    await window.to('#/session/release-notes', '.actions');
    const button = (name) => window.page.getByRole('button', { name }).first().click();
    const dialogs = { keys: () => window.page.keyboard.press('?'), palette: () => window.page.keyboard.press(':'), sending: () => button('Extend budget…'),
      revoking: () => button('Revoke…'), granting: async () => { await window.to(...PAGES.approvals); await window.page.keyboard.press('s'); } };
    for (const [name, open] of Object.entries(dialogs)) {
      await open();
      await window.page.locator('dialog[open]').waitFor();
      await look(name);
      await window.page.keyboard.press('Escape');
      await window.page.locator('dialog').waitFor({ state: 'detached' });
    }
    assert.deepEqual(found, {});
    assert.deepEqual(window.trouble, []);
    await window.context.close();
  });
}

// Words that have to be read whole: what is cut of them, by what, on the page as it is.
const cutWords = () => {
  const found = [];
  for (const node of document.querySelectorAll('.status, .status span, .top a, .top button, .pill, .actions button, .events code, .card h2, th, .beat, .figures dt')) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const { right, left, width } = range.getBoundingClientRect();
    if (!width || node.closest('.sr')) continue;
    for (let up = node; up && up !== document.body; up = up.parentElement) {
      const { overflowX } = getComputedStyle(up), box = up.getBoundingClientRect();
      if (overflowX === 'visible') continue;
      if (right > box.right + 1 || left < box.left - 1) found.push(`${node.className || node.tagName}: ${node.textContent.trim().slice(0, 40)}`);
      break;
    }
  }
  for (const row of document.querySelectorAll('.events ol:not(.turns) li button')) {
    const [kind, words] = [row.querySelector('code'), row.querySelector('span')].map((one) => one.getBoundingClientRect());
    if (kind.top < words.bottom - 2 && words.top < kind.bottom - 2 && kind.right > words.left + 1) found.push('overlaps: ' + row.textContent.slice(0, 60));
  }
  return found;
};

// Wide, middling, narrow, and 200 % zoom, which halves what a page has of a screen.
for (const [name, width, height, scale] of [['phone', 390, 844, 1], ['half', 720, 900, 1], ['laptop', 1024, 768, 1], ['desktop', 1440, 900, 1], ['zoomed', 640, 400, 2]]) {
  test(`a screen of ${width} pixels (${name}) cuts nothing off`, async () => {
    const window = await visit(browser, daemon, { viewport: { width, height }, deviceScaleFactor: scale, colorScheme: 'light' });
    const found = {};
    for (const [page, [hash, ready]] of Object.entries(PAGES)) {
      await window.to(hash, ready);
      const wide = await window.page.evaluate(() => document.documentElement.scrollWidth);
      const cut = await window.page.evaluate(cutWords);
      if (wide !== width) cut.push(`${wide} pixels wide`);
      if (cut.length) found[page] = cut;
      if (PICTURES) await window.page.screenshot({ path: path.join(PICTURES, `${page}-${name}.png`), fullPage: page === 'session' });
    }
    assert.deepEqual(found, {});
    await window.context.close();
  });
}

test('on a phone without a login the head is two lines with the documentation, and each card that needs you is whole', async () => {
  await daemon.open('phone', { goal: 'Ship the release' });
  await daemon.ask('phone', { tool: 'deploy', args: {}, risk: 'high' });
  const window = await visit(browser, daemon, { viewport: { width: 390, height: 844 }, login: false });
  await window.to('#/', '.need');
  assert.ok(await window.page.getByRole('link', { name: 'Docs', exact: true }).isVisible());
  assert.equal(await window.page.locator('.who').innerText(), 'Log in');
  const { tops, outside } = await window.page.evaluate(() => ({
    tops: new Set([...document.querySelectorAll('.brand, .right > :not(.keyboard), .top nav')].map((one) => Math.round(one.getBoundingClientRect().top / 30))).size,
    outside: [...document.querySelectorAll('.need')].filter((one) => one.getBoundingClientRect().right > innerWidth).length }));
  assert.equal(tops, 2);
  assert.equal(outside, 0);
  await window.context.close();
});

test('Escape in the filter empties it, and shows all again', async () => {
  const window = await visit(browser, daemon);
  await window.to('#/', 'tr[data-id]');
  const field = window.page.getByRole('searchbox');
  await field.fill('nothing-is-called-so');
  await window.page.locator('.empty').waitFor();
  await field.press('Escape');
  await window.page.locator('tr[data-id]').first().waitFor();
  assert.equal(await field.inputValue(), '');
  assert.ok(!(await window.page.evaluate(() => location.hash)).includes('nothing'));
  await window.context.close();
});

test('the heading of a group reaches as far as its rows, and the dashboard leads to the documentation', async () => {
  const window = await visit(browser, daemon);
  await window.to('#/?group=team', '.fleet tbody th');
  const cells = (selector) => window.page.locator(selector).first().evaluate((row) => row.lastElementChild.getBoundingClientRect().right);
  assert.equal(await cells('.fleet tr.group'), await cells('.fleet tr[data-id]'));
  await window.page.getByRole('link', { name: 'Docs', exact: true }).click();
  await window.page.getByRole('link', { name: 'API reference' }).click();
  await window.page.locator('#reportEvents').waitFor();
  await window.page.getByRole('link', { name: 'In words' }).click();
  await window.page.getByRole('heading', { name: 'HTTP API' }).waitFor();
  await window.context.close();
});

test('no event of a journal shows what is not there, and Markdown of a summary is shown as such', async () => {
  await daemon.open('words', { goal: 'Words' });
  await daemon.report('words', tool('bash', { command: 'make' }, { round: 1, result: 'x' }));
  await daemon.ask('words', { tool: 'deploy', args: {}, summary: 'Deploys **everything** with `make ship`.' });
  const window = await visit(browser, daemon);
  await window.to('#/session/words', '.events li');
  await window.page.locator('.approval .words b', { hasText: 'everything' }).waitFor();
  await window.page.locator('.approval .words code', { hasText: 'make ship' }).waitFor();
  await daemon.call('POST', '/v1/sessions/words/cancel', { reason: 'enough' }); // ends the request
  await window.page.locator('.events ol', { hasText: 'enough' }).waitFor();
  const text = await window.page.locator('.events ol').innerText();
  assert.ok(!/undefined|NaN|\*\*/.test(text), text);
  assert.deepEqual(await window.page.evaluate(cutWords), []);
  await window.context.close();
});

test('a silent session is ended by a key, as failed or cancelled', async () => {
  await daemon.open('gone', { goal: 'Gone', policy: { heartbeat_interval_ms: 100 } });
  await until(async () => (await daemon.get('/v1/sessions/gone')).verdict.status === 'silent', 'silence');
  const window = await visit(browser, daemon);
  await window.to('#/session/gone', '.verdict.s-silent');
  await window.page.keyboard.press('e');
  await window.page.locator('dialog[open] select').selectOption('cancelled');
  await window.page.getByRole('button', { name: 'Send' }).click();
  await window.page.locator('.verdict.s-cancelled').waitFor();
  assert.equal((await daemon.get('/v1/sessions/gone')).outcome, 'cancelled');
  assert.deepEqual(window.trouble, []);
  await window.context.close();
});

test('an alarm is red and on top of everything until a person acknowledges it', async () => {
  const window = await visit(browser, daemon);
  await window.to('#/', 'tr[data-id]');
  const { id } = await daemon.ask('risky', { tool: 'deploy', call_id: 'c1', args: { to: 'production' } });
  await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'reject', reason: 'no' }, daemon.token());
  await daemon.report('risky', { type: 'tool.finished', data: { tool: 'deploy', call_id: 'c1', args: { to: 'production' }, ok: true } });
  await daemon.open('newer', { goal: 'Newer than the alarm' });
  const first = window.page.locator('.need').first();
  await window.page.locator('.need.k-alarm').waitFor();
  assert.match(await first.innerText(), /Alarm[^]*ran although it was rejected/);
  await window.page.locator('tr[data-id=newer]').waitFor();
  await window.page.locator('tr[data-id=risky].alarmed').waitFor();
  assert.equal(await window.page.locator('tr[data-id]').first().getAttribute('data-id'), 'risky');
  await first.click();
  const alarms = window.page.getByRole('alert', { name: 'Alarms' });
  assert.match(await alarms.innerText(), /deploy\s+ran although it was rejected/);
  if (PICTURES) await window.page.screenshot({ path: path.join(PICTURES, 'alarm.png') });
  assert.deepEqual(await serious(window.page), []);
  await window.to('#/wall', '.tile.alarmed');
  assert.deepEqual(await serious(window.page), []);
  const visitor = await visit(browser, daemon, { login: false });
  await visitor.to('#/', '.notice');
  assert.deepEqual(await serious(visitor.page), []);
  await visitor.context.close();
  await window.to('#/session/risky', '.alarms');
  await alarms.getByRole('button', { name: 'Acknowledge…' }).click();
  await window.page.getByRole('button', { name: 'Send' }).click();
  await alarms.waitFor({ state: 'detached' });
  await window.page.locator('.need.k-alarm').waitFor({ state: 'detached' });
  assert.deepEqual((await daemon.get('/v1/sessions/risky')).alarms, []);
  assert.deepEqual(window.trouble, []);
  await window.context.close();
});

test('how far a session has come is a bar, with what is next and what blocks it', async () => {
  await daemon.open('estimated', { goal: 'Write a book' });
  await daemon.report('estimated', { type: 'progress.estimated', data: { percent: 62, reasoning: '13 of 21 chapters', next_milestone: 'the index', blockers: ['no publisher'] } });
  const window = await visit(browser, daemon);
  await window.to('#/?q=estimated', 'tr[data-id=estimated]');
  await window.page.locator('tr[data-id=estimated]', { hasText: '62%' }).waitFor();
  await window.to('#/session/estimated', '.actions');
  const card = window.page.getByRole('region', { name: 'Progress' });
  for (const words of ['62 %', 'the index', 'no publisher', '13 of 21 chapters']) await card.getByText(words).first().waitFor();
  assert.equal(await card.locator('.track i').evaluate((bar) => bar.style.width), '62%');
  assert.deepEqual(await serious(window.page), []);
  await window.context.close();
});

test('an approval with invisible bytes says so in red', async () => {
  const { id } = await daemon.ask('hides', { tool: 'bash', args: { command: 'deploy --token hunter2hunter2hunter2', password: 'very-secret-word' } });
  const { hidden_bytes: hidden } = await daemon.get(`/v1/approvals/${id}`);
  assert.ok(hidden > 0, String(hidden));
  const window = await visit(browser, daemon);
  await window.to('#/approvals?id=' + id, `[data-id="${id}"]`);
  const note = window.page.locator(`[data-id="${id}"] .hidden`);
  assert.match(await note.innerText(), new RegExp(`^${hidden} bytes hidden`));
  assert.equal(await note.evaluate((node) => getComputedStyle(node).color), await window.page.evaluate(() => {
    const probe = Object.assign(document.createElement('i'), { className: 'bad' });
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }));
  await window.context.close();
});

test('a session under observed timers shows each kill they would have made, and what it would have cost', async (t) => {
  const observed = await new Daemon({ 'legacy_timeouts.mode': 'observe', 'legacy_timeouts.session': '400ms', 'legacy_timeouts.tool': '100ms' }).start();
  t.after(() => observed.close());
  await observed.open('slow-build', { goal: 'Build slowly' });
  await observed.report('slow-build', { type: 'tool.started', data: { call_id: 'c1', tool: 'make', args: { command: 'make' } } });
  const kills = () => observed.get('/v1/sessions/slow-build/comparison').then(({ legacy }) => legacy.kills);
  await until(async () => (await kills()).length === 2, 'both timers');
  await observed.report('slow-build', tool('make', { command: 'make' }, { call_id: 'c1', result: 'built' }), { type: 'message', data: { text: 'done' } });
  const window = await visit(browser, observed);
  await window.to('#/session/slow-build', '.actions');
  const timers = window.page.getByRole('region', { name: 'Old timers' });
  for (const { timer, n } of await kills()) {
    const line = timer === 'tool' ? /tool timer would have ended make at \d\d:\d\d:\d\d, when it was \w+/ : /session timer would have ended it at \d\d:\d\d:\d\d, when it was \w+/;
    const item = timers.locator('li', { hasText: line });
    await item.getByRole('link', { name: `#${n}` }).waitFor();
    assert.match(await item.innerText(), /(ms|s) and \d+ events came after that/);
  }
  assert.deepEqual(await serious(window.page), []);
  assert.deepEqual(window.trouble, []);
  await window.context.close();
});
