// SPDX-License-Identifier: Apache-2.0

// Texts of agents run nothing and break nothing: 200 strings that have broken pages (markup, handlers, URLs, templates, prototypes,
// encodings, direction, size) in every field.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Daemon, each, launch, tool, until, visit } from './support.mjs';

const RUN = 'globalThis.pwned=1';
const MARKUP = [`<script>${RUN}</script>`, `<img src=x onerror="${RUN}">`, `<svg onload="${RUN}">`, `<svg><script>${RUN}</script></svg>`, `<iframe srcdoc="<script>parent.pwned=1</script>">`, `<body onload=${RUN}>`, `<details open ontoggle="${RUN}">x</details>`, `<input autofocus onfocus="${RUN}">`,
  `<style>@import 'http://evil.invalid/x.css';</style>`, `<link rel=stylesheet href=http://evil.invalid/x>`, `<base href="http://evil.invalid/">`, `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`, `<object data="javascript:${RUN}">`, `<embed src="javascript:${RUN}">`, `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<a href="javascript:${RUN}">x</a>`, `<math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`, `<template><script>${RUN}</script></template>`, `<div style="background:url(javascript:${RUN})">`, `<video><source onerror="${RUN}"></video>`];
const BEFORE = ['', '">', "'>", '-->', '</title>', '</textarea>'];
const OTHERS = [`javascript:${RUN}`, `JaVaScRiPt:${RUN}`, `java\tscript:${RUN}`, `data:text/html,<script>${RUN}</script>`, `vbscript:${RUN}`, '//evil.invalid/x', '\\\\evil.invalid\\x', '${' + RUN + '}', '`${' + RUN + '}`', '{{constructor.constructor("' + RUN + '")()}}', '#{7*7}', '<%= 7*7 %>', '%3Cscript%3E' + RUN + '%3C/script%3E',
  '&lt;script&gt;' + RUN, '&#60;script&#62;', '\\u003cscript\\u003e', '__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', '{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '[object Object]', 'undefined', 'null', 'NaN', 'true', '-1', '1e309', '0x7f',
  '\u202Egnp.exe', '\u2066hidden\u2069', '\u200Bzero\u200Bwidth\uFEFF', '\u00ADsoft', 'a\u0300\u0301\u0302\u0303'.repeat(20), 'ﷺ'.repeat(40), '🏳️‍🌈👩‍👩‍👧‍👦'.repeat(12), 'مرحبا بالعالم', 'שלום', '漢字'.repeat(60), '\u{E0041}\u{E0042}tag', '\uFFFE', 'W'.repeat(3000), 'w w '.repeat(800), '\n'.repeat(200), '\t\r\n\u000B\f', ' ', '"', "'", '`', '<', '>', '&', '\\', '/', '*/', '-->', ']]>', '<!--', '<![CDATA[', ';', '--', "' OR 1=1 --", "'; DROP TABLE session; --", '$(reboot)', '| cat /etc/passwd', '../../../etc/passwd', 'C:\\CON', 'http://[::1]:7717/v1/sessions', '#/approvals', '?q=x', '#/session/../../x', 'on\nclick', '\u2028' + RUN, '\u2029' + RUN, '=cmd|calc', '@SUM(1)', 'a'.repeat(127) + '<'];

const hostile = () => [...BEFORE.flatMap((before) => MARKUP.map((markup) => before + markup)), ...OTHERS].concat(Array.from({ length: 200 }, (_, i) => `</script><script>${RUN}+${i}</script>`)).slice(0, 200);

// For fields that take 128 bytes.
const cut = (s) => Buffer.from(s).subarray(0, 100).toString();

let daemon, browser;
before(async () => {
  daemon = await new Daemon().start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await daemon.close();
});

test('200 hostile strings in every field run nothing and break nothing', async () => {
  const strings = hostile();
  assert.equal(strings.length, 200);
  const everything = (s, i) => [
    { type: 'heartbeat', data: { phase: cut(s), note: cut(s), iteration: i } }, { type: 'message', data: { role: cut(s), text: s } }, { type: 'tool.started', data: { call_id: `c${i}`, tool: cut(s) || 't', args: { [cut(s)]: s }, target: cut(s) } },
    tool(cut(s) || 't', { command: s }, { ok: false, error: { class: cut(s), message: s }, result: { [cut(s)]: s } }), { type: 'phase.started', data: { name: cut(s), description: cut(s) } }, { type: 'phase.completed', data: { blockers: [cut(s)], ok: false } },
    { type: 'fact.learned', data: { text: s, source: cut(s) } }, { type: 'progress.estimated', data: { percent: i % 100, reasoning: s, next_milestone: cut(s), blockers: [cut(s)] } }, { type: 'reflection', data: { assessment: 'x' + cut(s), text: s } }, { type: 'plan.updated', data: { text: s, steps: [{ title: cut(s), status: cut(s) }] } },
    { type: 'error.reported', data: { message: s, class: 'x' + cut(s) } }, { type: 'state.changed', data: { state: 'executing_tool', detail: cut(s) } }, { type: 'test.result', data: { failed: 1, failures: [cut(s)], command: cut(s) } },
  ];
  await each(strings, async (s, i) => {
    const id = `hostile-${i}`, short = cut(s);
    await daemon.open(id, { goal: s, agent: { type: short, name: short, model: short }, labels: { [short || 'k']: short }, ...(i && { parent: 'hostile-0' }) });
    await daemon.report(id, ...everything(s, i));
    if (i < 90) await daemon.ask(id, { tool: short || 't', args: { [short]: s, old_string: s, new_string: s + '\n' + s }, summary: s, risk: 'high' });
    if (i < 5) await daemon.ask(id, { kind: 'question', summary: s || 'q', options: [short || 'o'] });
    if (i % 4 === 3) await daemon.call('POST', `/v1/sessions/${id}/end`, { outcome: 'failed', reason: s, result: { [short]: s } });
  });
  for (let i = 0; i < strings.length; i += 20) await daemon.report('hostile-0', ...strings.slice(i, i + 20).flatMap((s, k) => everything(s, i + k).slice(1, 8)));
  await daemon.call('POST', '/v1/sessions/hostile-0/nudge', { text: strings[1], by: cut(strings[2]) });
  const window = await visit(browser, daemon);
  const { page } = window;
  const scroll = async () => { for (let y = 0; y < 12000; y += 800) await page.evaluate((to) => new Promise((go) => { scrollTo(0, to); requestAnimationFrame(go); }), y); };
  for (const [hash, ready] of [['#/', 'tr[data-id]'], ['#/history', 'tr[data-id]'], ['#/approvals', '.approval'], [`#/?group=${encodeURIComponent(cut(strings[0]))}`, 'tr[data-id]'], [`#/?q=${encodeURIComponent(strings[3])}`, '.head']]) {
    await window.to(hash, ready);
    await scroll();
  }
  await window.to('#/session/hostile-0?view=events', '.events li');
  // All of the journal, every event opened.
  while (await page.getByRole('button', { name: 'Older events' }).isVisible()) {
    const shown = await page.locator('.events li').count();
    await page.getByRole('button', { name: 'Older events' }).click();
    await page.waitForFunction((n) => document.querySelectorAll('.events li').length !== n, shown);
  }
  // Headway may write one more meanwhile, such as that the agent is silent.
  await until(() => page.evaluate(() => {
    const closed = document.querySelectorAll('.events li button[aria-expanded=false]');
    closed.forEach((button) => button.click());
    return !closed.length;
  }), 'every event opened');
  for (const i of [3, 7, 50, 91, 120, 199]) {
    await window.leave(); // the page before has events as well
    await window.to(`#/session/hostile-${i}`, '.events li');
  }
  await page.keyboard.press(':');
  await page.keyboard.type('hostile');
  await page.locator('#found li').first().waitFor();
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll('main script, main iframe, main object, main img, main style, main link, main [onclick], main [onerror], main [onload]').length), 0);
  assert.equal(await page.evaluate(() => ({}).polluted), undefined);
  assert.deepEqual(window.trouble, []);
  await window.context.close();
});
