// SPDX-License-Identifier: Apache-2.0

// The journal in turns, the newest first: messages, calls with their results, what changed, tests; beats and repeats folded with their
// number. The raw event is one key away.
import { html, useMemo, useState } from './preact.js';
import { cls, Json, Visible } from './ui.js';
import { action, clock, plural, span, summary, text } from './format.js';
import { Call } from './call.js';

const sameCall = (a, b) => a.tool === b.tool && JSON.stringify(a.args ?? a.target) === JSON.stringify(b.args ?? b.target);
const sameResult = (a, b) => JSON.stringify([a.ok, a.result, a.error]) === JSON.stringify([b.ok, b.result, b.error]);

// Events that Headway writes in between end no repeat.
const OWN = /^(verdict|directive|check|budget|child)/;
function lastOf(blocks) {
  let i = blocks.length - 1;
  while (i >= 0 && blocks[i].kind === 'event' && OWN.test(blocks[i].event.type)) i--;
  return blocks[i];
}

// Events, the newest first, as blocks {n, kind, event, times, same}. Pure.
export function turns(sorted) {
  const blocks = [], finished = new Set();
  for (const event of sorted) {
    const { type, data: d = {} } = event, last = lastOf(blocks);
    if (type === 'tool.finished' && d.call_id) finished.add(d.call_id);
    if (type === 'tool.started' && finished.has(d.call_id)) continue; // its end has it all
    if (/^(state\.changed|progress\.stats|budget\.updated)$/.test(type)) continue; // the head of the page says it
    if (type === 'heartbeat') {
      if (last?.kind === 'beats') { last.times++; last.first = event; } else blocks.push({ n: event.n, kind: 'beats', event, first: event, times: 1 });
    } else if (/^tool\./.test(type)) {
      if (last?.kind === 'call' && sameCall(last.event.data, d)) {
        last.times++;
        last.first = event;
        last.same &&= sameResult(last.event.data, d);
      } else blocks.push({ n: event.n, kind: 'call', event, first: event, times: 1, same: true });
    } else if (type === 'message') blocks.push({ n: event.n, kind: 'message', event });
    else if (type === 'test.result') {
      if (last?.kind === 'test') { last.times++; last.first = event; } else blocks.push({ n: event.n, kind: 'test', event, first: event, times: 1 });
    } else {
      const before = blocks.at(-1);
      if (before?.kind === 'event' && before.event.type === type && summary(before.event) === summary(event)) before.times++;
      else blocks.push({ n: event.n, kind: 'event', event, times: 1 });
    }
  }
  return blocks;
}

const times = (block) => block.times > 1 && html` <b class=${cls('times', block.same && block.times > 2 && 'bad')}>×${block.times}</b>`;
const first = (value) => (text(value) || '').split('\n', 1)[0].slice(0, 200);

function words(block) {
  const { kind, event: { type, data: d } } = block;
  if (kind === 'beats') return html`<span class="muted">${plural(block.times, 'heartbeat')} ${summary(block.event)}</span>`;
  if (kind === 'test') {
    const { first: { data: before } } = block;
    return html`<span>${block.times > 1 && `${before.passed ?? 0} → `}<b>${d.passed ?? 0} passed</b>, ${d.failed ?? 0} failed</span>`;
  }
  if (kind === 'message') return html`<span><b>${d.role || 'agent'}</b> <${Visible} text=${text(d.text).slice(0, 600)} /></span>`;
  if (kind === 'call') {
    const result = d.ok === false ? first(d.error?.message) || d.error?.class || 'failed' : first(d.result);
    return html`<span><code><${Visible} text=${action(d).slice(0, 240)} /></code>${times(block)}
      <small class=${d.ok === false ? 'bad' : 'muted'}>${type === 'tool.started' ? 'under way' : html`→ <${Visible} text=${result || (d.mutated ? plural(d.mutated.length, 'file') + ' changed' : 'nothing')} />`}
      ${block.times > 1 && (block.same ? ', each time' : ', at last')}${d.duration_ms != null && ` · ${span(d.duration_ms)}`}</small></span>`;
  }
  return html`<span><code>${type}</code> <${Visible} text=${summary(block.event).slice(0, 400)} />${times(block)}</span>`;
}

export function Turns({ journal, raw }) {
  const [open, setOpen] = useState(new Set());
  const blocks = useMemo(() => turns(journal.sorted), [journal.sorted]);
  const toggle = (n) => setOpen((old) => { const next = new Set(old); if (!next.delete(n)) next.add(n); return next; });
  let round = null;
  return html`<ol class="turns">${blocks.map((block) => {
    const { n, kind, event } = block, bad = event.data?.ok === false || /error|alarm/.test(event.type);
    const opens = event.data?.round != null && event.data.round !== round;
    if (opens) round = event.data.round;
    return html`<li key=${n} class=${cls('t-' + kind, bad && 'bad-turn')}><button aria-expanded=${String(open.has(n))} onClick=${() => toggle(n)}>
      <time title=${event.at}>${clock(event.at)}</time><small>${opens ? 'r' + event.data.round : ''}</small>${words(block)}</button>
      ${open.has(n) && (kind === 'call' && !raw ? html`<${Call} data=${event.data} />` : html`<${Json} value=${event} label=${'Event ' + n} />`)}</li>`;
  })}</ol>`;
}
