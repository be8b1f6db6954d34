// SPDX-License-Identifier: Apache-2.0

// The strip of the last hour on the fleet: verdicts minute by minute, a moment that filters, and what is not known.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fill } from './example.mjs';
import { Daemon, launch, until, visit } from './support.mjs';

const AXE = fs.readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const PICTURES = process.env.HEADWAY_SCREENSHOTS;
const MINUTE_MS = 60000;

let daemon, browser, window;
// As the daemon would say it after an hour: made up, since no test waits for one. The sessions of the example have begun now.
const known = { minutes: [] };
const end = () => Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
async function remember({ context }) {
  await context.route(/overview\?minutes=60$/, async (route) => {
    const reply = await route.fetch(), body = await reply.json();
    await route.fulfill({ response: reply, json: { ...body, past: { until: new Date(end()).toISOString(), minutes: known.minutes } } });
  });
}
const hour = (size) => Array.from({ length: size }, (_, i) => ({ progressing: 5 + (i % 3), ...(i > 20 && { stuck: 1 + (i > 40) }), ...(i > 30 && i < 36 && { blocked: 2 }), ...(i % 7 && { exploring: 3 }) }));
const strip = () => window.page.getByRole('slider', { name: /The last hour/ });
const caption = () => window.page.locator('.hour p').innerText();

before(async () => {
  daemon = await new Daemon({ 'policy.heartbeat_interval': '1m' }).start();
  browser = await launch();
  window = await visit(browser, daemon);
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

test('a daemon without a minute of sessions has no strip, and its overview says how little it knows', async () => {
  await window.page.getByText('No agent is running', { exact: true }).waitFor();
  assert.equal(await strip().count(), 0);
  const { past } = await daemon.get('/v1/overview?minutes=60');
  assert.ok(past.minutes.length < 3, JSON.stringify(past));
  assert.equal((await daemon.request('GET', '/v1/overview?minutes=61')).status, 400);
  await fill(daemon);
  await remember(window);
});

test('verdicts are stacked minute by minute, the newest at the right', async () => {
  known.minutes = hour(60);
  await window.to('#/system', '.card');
  await window.to('#/', '.hour');
  assert.equal(await window.page.locator('.hour .s-stuck').count(), 1);
  assert.equal((await window.page.locator('.hour .s-stuck').getAttribute('d')).match(/M/g).length, 39, 'a bar a minute');
  assert.match(await caption(), /^\d\d:\d\d: 2 stuck, 3 exploring, 7 progressing/);
  await strip().hover({ position: { x: 2, y: 20 } });
  assert.match(await caption(), /^\d\d:\d\d: 5 progressing/);
});

test('a click on a moment leaves what is as it was then, and its part of the summary takes it back', async () => {
  await window.to('#/', 'tr[data-id=flaky-login-test]');
  const box = await strip().boundingBox();
  await strip().click({ position: { x: box.width / 2, y: 20 } });
  await window.page.getByText('No session is like that.').waitFor();
  assert.match(window.page.url(), /at=\d{4}-\d\d-\d\dT/);
  await window.page.locator('.sentence').getByRole('button', { name: /since .* all/ }).click();
  await window.page.locator('tr[data-id=flaky-login-test]').waitFor();
  assert.doesNotMatch(window.page.url(), /at=/);
});

test('the keyboard moves through the minutes, the last of which has all that is open', async () => {
  await window.to('#/', 'tr[data-id=flaky-login-test]');
  await strip().focus();
  await window.page.keyboard.press('Home');
  await window.page.getByText('No session is like that.').waitFor();
  assert.match(await strip().getAttribute('aria-valuetext'), /: 5 progressing/);
  await window.page.keyboard.press('ArrowRight');
  assert.equal(await strip().getAttribute('aria-valuenow'), '1');
  await window.page.keyboard.press('End');
  await window.page.locator('tr[data-id=flaky-login-test]').waitFor();
  await window.page.keyboard.press('Escape');
  await until(() => !window.page.url().includes('at='), 'no moment');
});

test('minutes before the daemon began are empty, and named so', async () => {
  known.minutes = hour(15);
  await window.to('#/system', '.card');
  await window.to('#/', '.hour');
  assert.match(await caption(), /since \d\d:\d\d/);
  await strip().hover({ position: { x: 2, y: 20 } });
  assert.match(await caption(), /not known/);
  assert.equal(await strip().getAttribute('aria-valuemin'), '45');
});

for (const theme of ['dark', 'light']) {
  test(`in the ${theme} theme axe finds no fault, and the strip fits a phone`, async () => {
    known.minutes = hour(52);
    const view = await visit(browser, daemon, { colorScheme: theme, reducedMotion: 'reduce' });
    await remember(view);
    for (const width of [1280, 390]) {
      await view.page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      for (const [name, hash] of [['hour', '#/'], ['hour-moment', `#/?at=${new Date(end() - 9 * MINUTE_MS).toISOString().slice(0, 16)}Z`]]) {
        await view.to('#/system', '.card');
        await view.to(hash, '.hour');
        if (!await view.page.evaluate(() => 'axe' in globalThis)) await view.page.evaluate(AXE);
        const { violations } = await view.page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
        assert.deepEqual(violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200)), [], `${name} ${width}`);
        assert.equal(await view.page.evaluate(() => document.documentElement.scrollWidth), width, name);
        if (width === 390) assert.ok(await view.page.evaluate(() => document.querySelector('.need').getBoundingClientRect().top) < 240, 'the first card is near the top');
        if (PICTURES) await view.page.screenshot({ path: path.join(PICTURES, `${name}-${width}-${theme}.png`) });
      }
    }
    assert.deepEqual(view.trouble, []);
    await view.context.close();
  });
}

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
