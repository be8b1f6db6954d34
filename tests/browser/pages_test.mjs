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
  fleet: ['#/', 'tr[data-id]'], grouped: ['#/?group=team', '.fleet tbody th'], nothing: ['#/?q=nothing-is-called-so', '.empty'], session: ['#/session/release-notes', '.plot canvas'], stuck: ['#/session/flaky-login-test?n=6', '.marked'],
  approvals: ['#/approvals', '.approval'], decided: ['#/approvals?show=decided', '.plain td, .empty'], history: ['#/history', 'tr[data-id]'], system: ['#/system', 'section[aria-label=Webhooks] td'], login: ['#/login?failed=1', '.card'],
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
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message || '')).join(' | ')}`);
}

for (const theme of ['dark', 'light']) {
  test(`every page in the ${theme} theme has nothing serious against it`, async () => {
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
    if (PICTURES && theme === 'dark') {
      await window.page.setViewportSize({ width: 1200, height: 660 });
      await window.to(...PAGES.fleet);
      await window.page.screenshot({ path: path.join(PICTURES, 'dashboard.png') }); // for the README
    }
    assert.deepEqual(found, {});
    assert.deepEqual(window.trouble, []);
    await window.context.close();
  });
}

test('a narrow screen cuts nothing off', async () => {
  const window = await visit(browser, daemon, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  for (const [name, [hash, ready]] of Object.entries(PAGES)) {
    await window.to(hash, ready);
    assert.equal(await window.page.evaluate(() => document.documentElement.scrollWidth), 390, name);
    if (PICTURES) await window.page.screenshot({ path: path.join(PICTURES, `${name}-narrow.png`) });
  }
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
