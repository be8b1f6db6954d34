// SPDX-License-Identifier: Apache-2.0

// The documentation at /docs: every page on wide and narrow screens, accessibility in both themes; pictures with HEADWAY_SCREENSHOTS=DIR.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Daemon, launch } from './support.mjs';

const AXE = fs.readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const PICTURES = process.env.HEADWAY_SCREENSHOTS;
const LOOKED_AT = ['/docs', '/docs/agents', '/docs/http-api', '/docs/settings', '/docs/detectors'];

let daemon, browser, targets;
before(async () => {
  daemon = await new Daemon().start();
  browser = await launch();
  const pages = (await daemon.request('GET', '/docs')).text.matchAll(/<a href="(\/docs\/[^"#]+)"/g);
  targets = [...new Set(['/docs', ...[...pages].map(([, target]) => target)])];
  assert.ok(targets.length > 20, targets.join(' '));
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

async function open(options) {
  const context = await browser.newContext(options), trouble = [];
  context.on('console', (message) => { if (message.type() === 'error') trouble.push(message.text()); });
  const page = await context.newPage();
  const to = async (target) => { await page.goto(daemon.url + target); await page.waitForFunction(() => document.querySelector('main').textContent.length > 200); };
  return { context, page, trouble, to };
}

for (const [name, width, height] of [['phone', 390, 844], ['desktop', 1280, 900]]) {
  test(`no page is wider than a screen of ${width} pixels, and its list of pages is there`, async () => {
    const { context, page, trouble, to } = await open({ viewport: { width, height }, colorScheme: name === 'phone' ? 'dark' : 'light' });
    const found = {};
    for (const target of targets) {
      await to(target);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide !== width) found[target] = `${wide} pixels wide`;
      if (target !== '/docs/api') assert.ok(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Glossary' }).isVisible(), target);
      if (PICTURES && LOOKED_AT.includes(target)) await page.screenshot({ path: path.join(PICTURES, `${target.slice(1).replace('/', '-')}-${name}.png`) });
    }
    assert.deepEqual(found, {});
    assert.deepEqual(trouble, []);
    await context.close();
  });
}

for (const colorScheme of ['dark', 'light']) {
  test(`the pages in the ${colorScheme} theme have nothing serious against them`, async () => {
    const { context, page, to } = await open({ viewport: { width: 1280, height: 900 }, colorScheme });
    const found = {};
    for (const target of LOOKED_AT) {
      await to(target);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      if (serious.length) found[target] = serious.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`);
      if (PICTURES) await page.screenshot({ path: path.join(PICTURES, `${target.slice(1).replace('/', '-')}-${colorScheme}.png`) });
    }
    assert.deepEqual(found, {});
    await context.close();
  });
}

test('a link to a part of a page shows that part below the bar, and the list marks the page', async () => {
  const { context, page, to } = await open({ viewport: { width: 1280, height: 900 } });
  await to('/docs/verdicts');
  await page.getByRole('main').getByRole('link', { name: /API/ }).first().click();
  await page.waitForURL(/\/docs\/http-api#/);
  const { top, bar } = await page.evaluate(() => ({ top: document.getElementById(location.hash.slice(1)).getBoundingClientRect().top, bar: document.querySelector('header').getBoundingClientRect().bottom }));
  assert.ok(top >= bar - 1 && top < 200, `${top} below ${bar}`);
  assert.equal(await page.locator('nav [aria-current=page]').innerText(), 'HTTP API');
  await context.close();
});
