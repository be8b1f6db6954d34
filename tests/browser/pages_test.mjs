// Every page: accessibility in both themes, narrow screens; pictures with HEADWAY_SCREENSHOTS=DIR.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fill } from './example.mjs';
import { Daemon, launch, visit } from './support.mjs';

const AXE = fs.readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const PICTURES = process.env.HEADWAY_SCREENSHOTS;
const PAGES = {
  fleet: ['#/', 'tr[data-id]'], grouped: ['#/?group=team', '.fleet tbody th'], nothing: ['#/?q=nothing-is-called-so', '.empty'], session: ['#/session/release-notes', '.plot canvas'], stuck: ['#/session/flaky-login-test?n=6', '.marked'],
  approvals: ['#/approvals', '.approval'], decided: ['#/approvals?show=decided', '.plain td, .empty'], history: ['#/history', 'tr[data-id]'], system: ['#/system', '.facts'], login: ['#/login?failed=1', '.card'],
};

let daemon, browser;
before(async () => {
  daemon = await new Daemon({ 'legacy_timeouts.mode': 'observe', 'policy.heartbeat_interval': '1m' }).start();
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
    for (const [name, open] of Object.entries({ keys: () => window.page.keyboard.press('?'), palette: () => window.page.keyboard.press(':'), sending: () => window.page.getByRole('button', { name: 'Extend budget…' }).click() })) {
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
