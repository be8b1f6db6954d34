// SPDX-License-Identifier: Apache-2.0

// Quick: an event at once, 500 busy sessions without a long task, the first paint. ctest runs this by itself: it measures by the clock.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, each, launch, LONG, machine, patient, slowness, tool, visit } from './support.mjs';

const BUSY = 500, PER_SECOND = 5;
const SECONDS = LONG ? 60 : 6;
const LONG_TASK_MS = 50;
const TRIES = 10; // another program may hold the processor for as long as a task may take; then its own processor time counts, where the machine can tell

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

// Begins a trace; what is returned ends it, and gives the task of the page's main thread that took the most processor time:
// {ms, what}. Other threads of the browser (the worker of the stream, the compositor, whatever reads files) may take longer.
async function traced({ context, page }) {
  const session = await context.newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => { for (const event of value) events.push(event); });
  const { frameTree } = await session.send('Page.getFrameTree');
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'devtools.timeline'] } });
  return async () => {
    const complete = new Promise((done) => { session.once('Tracing.tracingComplete', done); });
    await session.send('Tracing.end');
    await complete;
    await session.detach();
    const { pid, tid } = mainThread(events, frameTree.frame.id);
    const tasks = events.filter((event) => event.pid === pid && event.tid === tid && event.tdur);
    assert.ok(tasks.length, 'the trace has tasks of the page');
    const longest = tasks.filter(({ name }) => /RunTask$/.test(name)).reduce((one, other) => (one.tdur >= other.tdur ? one : other));
    const inside = tasks.filter(({ ts, name }) => ts >= longest.ts && ts < longest.ts + longest.dur && !/RunTask/.test(name));
    const what = inside.sort((one, other) => other.tdur - one.tdur).slice(0, 6).map(({ name, tdur }) => `${name} ${Math.round(tdur / 1000)}`);
    return { ms: Math.round(longest.tdur / 1000), what: what.join(', ') };
  };
}

// The main thread of the process that says it draws our frame.
function mainThread(events, frame) {
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const ours = threads.find(({ pid }) => events.some((event) => event.pid === pid && event.args.data?.frame === frame));
  assert.ok(ours, 'the trace names the main thread of the page');
  return ours;
}

test('an event is on the page within a second, in the fleet and in the session', async (t) => {
  await daemon.open('quick', { goal: 'Be quick' });
  const window = await visit(browser, daemon);
  const row = window.page.locator('tr[data-id=quick]');
  const shown = async (event, locator) => {
    const sent = Date.now();
    await daemon.report('quick', event);
    await locator.waitFor();
    return Date.now() - sent;
  };
  let late, fair = false;
  for (let turn = 0; turn < TRIES / 2; turn++) {
    const times = [], ours = machine();
    await window.to('#/', 'tr[data-id=quick]');
    for (let i = 0; i < 5; i++) times.push(await shown(tool('bash', { command: `make step-${turn}-${i}` }), row.getByText(`make step-${turn}-${i}`)));
    await window.to('#/session/quick', '.events li');
    times.push(await shown({ type: 'message', data: { role: 'assistant', text: `said just now: ${turn}` } }, window.page.getByText(`said just now: ${turn}`)));
    const slow = await slowness(window.page);
    console.log(`ms from the report to the page: ${times.join(' ')}; the machine is slower by ${slow.toFixed(1)}`);
    late = Math.max(...times) >= patient(1000) * slow && times;
    fair ||= ours();
    if (!late) break;
  }
  if (late && !fair) return t.skip('others had the processors all the time');
  assert.ok(!late, `too late: ${late}`);
  assert.deepEqual(window.trouble, []);
  await window.context.close();
});

test('500 sessions with 5 events a second each cause no long task', async (t) => {
  await each(Array(BUSY).keys(), (i) => daemon.open(`busy-${i}`, { goal: `Task ${i}`, labels: { team: `t${i % 7}` } }));
  window = await visit(browser, daemon);
  await window.page.locator('tr[data-id]').first().waitFor();
  await work(1);
  await window.page.evaluate(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map((entry) => Math.round(entry.duration)))).observe({ type: 'longtask' });
  });
  let held = false; // by one try at least: what a page needs it needs in each, what a machine takes from it only in some
  let longest, fair = false;
  for (let left = TRIES; left; left--) {
    const ours = machine(), trace = await traced(window);
    const done = await work(SECONDS);
    longest = await trace();
    const tasks = await window.page.evaluate(() => globalThis.longTasks.splice(0));
    const slow = await slowness(window.page);
    await window.page.evaluate(() => globalThis.longTasks.splice(0)); // of that, which is one
    const bound = patient(LONG_TASK_MS) * slow;
    console.log(`${Math.round(done.events / done.seconds)} events/s for ${Math.round(done.seconds)} s; long tasks in ms: ${tasks.join(' ') || 'none'}; most processor time of a task: ${longest.ms} ms (${longest.what}); the machine is slower by ${slow.toFixed(1)}`);
    held ||= longest.ms <= bound;
    fair ||= ours();
    if (held && !tasks.some((ms) => ms > bound)) break;
  }
  if (!held && !fair) return t.skip('others had the processors all the time');
  assert.ok(held, `${longest.ms} ms: ${longest.what}`);
  // The screen shows the state of the daemon.
  const id = await window.page.locator('tr[data-id]').first().getAttribute('data-id');
  const { sessions: [{ last_action: last }] } = await daemon.get(`/v1/sessions?view=row&ids=${id}`);
  await window.page.locator(`tr[data-id="${id}"]`).getByText(last.text).waitFor();
});

test('the first paint comes within 300 ms', async (t) => {
  const times = [], slow = [];
  let fair = false;
  for (let i = 0; i < TRIES; i++) {
    const ours = machine(), visitor = await visit(browser, daemon, { login: false });
    times.push(await visitor.page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    slow.push(await slowness(visitor.page));
    await visitor.context.close();
    fair ||= ours();
    if (times[i] < patient(300) * slow[i]) break;
  }
  console.log('first contentful paint, cold, in ms:', times.map(Math.round).join(' '), '; the machine is slower by', slow.map((by) => by.toFixed(1)).join(' '));
  if (times.at(-1) >= patient(300) * slow.at(-1) && !fair) return t.skip('others had the processors all the time');
  assert.ok(times.at(-1) < patient(300) * slow.at(-1), `${times}`);
});

test('nothing was wrong on the pages', () => assert.deepEqual(window.trouble, []));
