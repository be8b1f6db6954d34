// Many: 500 busy sessions without a long task, 10,000 sessions page by page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, each, launch, LONG, patient, tool, until, visit } from './support.mjs';

const BUSY = 500, PER_SECOND = 5, ALL = 10000;
const SECONDS = LONG ? 60 : 8;
const LONG_TASK_MS = 50;

let daemon, browser, window;
before(async () => {
  daemon = await new Daemon().start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

// Every session reports each second what it did in it; the sessions are spread over the second.
async function work(seconds) {
  const start = Date.now();
  let events = 0;
  await Promise.all(Array.from({ length: BUSY }, async (_, i) => {
    for (let second = 0; second < seconds; second++) {
      const due = start + second * 1000 + (i * 1000) / BUSY;
      await new Promise((go) => { setTimeout(go, Math.max(0, due - Date.now())); });
      await daemon.report(`busy-${i}`, ...Array.from({ length: PER_SECOND }, (_, k) => (k ? tool('bash', { command: `step ${second}.${k}` }, { round: second * 9 + k, result: `${second} ${k}` })
        : { type: 'heartbeat', data: { phase: 'execution', iteration: second } })));
      events += PER_SECOND;
    }
  }));
  return { events, seconds: (Date.now() - start) / 1000 };
}

test('500 sessions with 5 events a second each cause no long task', async () => {
  await each(Array(BUSY).keys(), (i) => daemon.open(`busy-${i}`, { goal: `Task ${i}`, labels: { team: `t${i % 7}` } }));
  window = await visit(browser, daemon);
  await window.page.locator('tr[data-id]').first().waitFor();
  await work(1);
  await window.page.evaluate(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map((entry) => Math.round(entry.duration)))).observe({ type: 'longtask' });
  });
  const done = await work(SECONDS);
  const tasks = await window.page.evaluate(() => globalThis.longTasks);
  console.log(`${Math.round(done.events / done.seconds)} events/s for ${Math.round(done.seconds)} s; long tasks: ${tasks.join(' ') || 'none'}`);
  assert.deepEqual(tasks.filter((ms) => ms > patient(LONG_TASK_MS)), []);
  // What is on the screen is what the daemon has.
  const id = await window.page.locator('tr[data-id]').first().getAttribute('data-id');
  await window.page.locator(`tr[data-id="${id}"]`).getByText(`step ${SECONDS - 1}.${PER_SECOND - 1}`).waitFor();
});

test('10,000 sessions are read page by page and drawn where the screen is', async () => {
  await each(Array(ALL - BUSY).keys(), (i) => daemon.open(`many-${i}`, { goal: `Work ${i}` }), 64);
  await window.page.reload();
  await window.page.getByText('10,000 sessions').waitFor();
  const { page } = window;
  for (let read = 200; read < ALL; read += 200) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    if (read + 200 < ALL) await page.getByText(`${(read + 200).toLocaleString('en-US')} of 10,000 read`).waitFor();
  }
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.locator('tr[data-id=busy-0]').waitFor();
  assert.ok(await page.locator('tr[data-id]').count() < 80, 'only what is near the screen is drawn');
  assert.equal(await page.locator('table.fleet').getAttribute('aria-rowcount'), '10001');
  await page.keyboard.press('/');
  await page.keyboard.type('work 4711');
  await page.getByText('1 session', { exact: true }).waitFor();
  await until(async () => (await page.locator('tr[data-id]').count()) === 1, 'the one that was looked for');
  assert.match(page.url(), /q=work\+4711/);
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
