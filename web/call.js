// SPDX-License-Identifier: Apache-2.0

// A call as people read it: a command as `$ command`, a change of a file as its diff, then the result; raw JSON where nothing else fits.
import { html } from './preact.js';
import { cls, Json, Visible } from './ui.js';
import { span, text } from './format.js';

// Lines of `before` and `after` as [' ' | '-' | '+', line], by longest common subsequence; very long texts as two blocks.
export function diff(before, after) {
  const a = before.split('\n'), b = after.split('\n'), out = [];
  const big = a.length * b.length > 250000;
  const best = big ? [] : Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; !big && i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && a[i] === b[j]) { out.push([' ', a[i++]]); j++; }
    else if (i < a.length && (big || j >= b.length || best[i + 1][j] >= best[i][j + 1])) out.push(['-', a[i++]]);
    else out.push(['+', b[j++]]);
  }
  return out;
}
export const Diff = ({ lines, label }) => html`<pre class="json diff" tabindex="0" role="group" aria-label=${label}>
    ${lines.map(([sign, line]) => html`
    <span class=${{ '-': 'del', '+': 'add' }[sign]}>${sign} <${Visible} text=${line} />${'\n'}</span>`)}</pre>`;

// Changes of a call in a file, where its arguments have them.
export function change(args) {
  const pick = (pattern) => Object.entries(args || {}).find(([key, value]) => pattern.test(key) && typeof value === 'string')?.[1];
  const before = pick(/^(old_\w+|before)$/), after = pick(/^(new_\w+|after)$/), patch = pick(/^(patch|diff)$/);
  if (before != null && after != null) return diff(before, after);
  return patch?.split('\n').map((line) => (/^[+-]/.test(line) ? [line[0], line.slice(1)] : [' ', line]));
}

export const commandOf = (args) => ['command', 'cmd'].map((name) => args?.[name]).find((value) => typeof value === 'string' && value);
export const Shell = ({ command }) => html`<pre class="shell" tabindex="0" role="group" aria-label="Command">$ <${Visible} text=${command} /></pre>`;

const RESULT_MAX = 1200;
// One event tool.finished or tool.started.
export function Call({ data: d, label }) {
  const command = commandOf(d.args), changes = change(d.args);
  const file = [d.args?.path, d.args?.file_path].find((value) => typeof value === 'string') || ''; // an agent may send anything
  const result = text(d.result) || '', error = [d.error?.class, text(d.error?.message)].filter(Boolean).join(': ');
  return html`<div class="call">${command ? html`<${Shell} command=${command} />`
    : changes ? html`<p><b>${d.tool}</b> <code><${Visible} text=${file} /></code></p><${Diff} lines=${changes} label="Changes" />`
    : html`<p><b>${d.tool}</b></p><${Json} value=${d.args ?? {}} label=${`Arguments of ${d.tool}`} />`}
    <p class=${cls('muted', d.ok === false && 'bad')}>${label ? label + ' ' : ''}${d.ok === false ? 'failed' : d.ok === true || d.result != null ? 'result' : 'no result yet'}
      ${d.duration_ms != null && `, ${span(d.duration_ms)}`}</p>
    ${(result || error) && html`<pre class=${cls('result', d.ok === false && 'bad')} tabindex="0" role="group" aria-label="Result"><${Visible} text=${(error || result).slice(0, RESULT_MAX)} />
      ${(error || result).length > RESULT_MAX && ' …'}</pre>`}</div>`;
}
