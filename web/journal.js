// SPDX-License-Identifier: Apache-2.0

// The journal of one session, as a list and as a timeline: the newest events, what follows live, and on request what is older.
import { html, useEffect, useRef, useState } from './preact.js';
import { get, query, sessionPath } from './api.js';
import { Card, cls, Empty, Json, Search, Select, tone, Trouble, useLoad, Visible } from './ui.js';
import { clock, count, ms, plural, span, summary } from './format.js';
import { listen, setQuery, tell, useKeys } from './page.js';
import { Turns } from './transcript.js';
import { KINDS } from './fold.js';

const BATCH = 200;

export function useJournal(id) {
  const [, draw] = useState(0);
  const ref = useRef();
  const journal = ref.current ??= { events: new Map(), sorted: [], head: 0 };
  const add = (events, head = 0) => {
    for (const event of events) if (event.session === id) { journal.events.set(event.n, event); head = Math.max(head, event.n); }
    journal.head = Math.max(journal.head, head);
    journal.sorted = [...journal.events.values()].sort((a, b) => b.n - a.n);
    draw(journal.head + Math.random());
  };
  journal.read = async (parameters) => {
    try {
      const reply = await get(sessionPath(id, '/events') + query({ limit: BATCH, ...parameters }));
      Object.assign(journal, { error: null, loaded: true });
      add(reply.events, reply.head);
    } catch (error) { journal.error = error; draw(Math.random()); }
  };
  useEffect(() => {
    const newest = () => journal.read({ order: 'newest' });
    tell({ follow: id });
    newest();
    const stop = listen(({ events, gap, reset }) => {
      const from = journal.head;
      if (events) add(events);
      if (events && journal.loaded && events[0].n > from + 1) journal.read({ after: from, limit: 1000 });
      if (gap || reset) newest();
    });
    return () => { stop(); tell({ follow: null }); };
  }, []);
  return journal;
}

const kindOf = (type) => Object.keys(KINDS).find((kind) => KINDS[kind].includes(type));

function Line({ event, open, marked, toggle }) {
  const ref = useRef();
  useEffect(() => { if (marked) ref.current.scrollIntoView({ block: 'nearest' }); }, [marked]);
  const bad = event.data.ok === false || /error|alarm/.test(event.type);
  return html`<li ref=${ref} class=${cls('e-' + (bad ? 'bad' : kindOf(event.type)), marked && 'marked')} data-n=${event.n}>
      <button aria-expanded=${String(open)} onClick=${toggle}><small>#${event.n}</small><time title=${event.at}>${clock(event.at)}</time>
      <code>${event.type}</code><span><${Visible} text=${summary(event).slice(0, 400)} /></span></button>
    ${open && html`<${Json} value=${event} label=${'Event ' + event.n} />`}</li>`;
}

export function Events({ journal, marked, view }) {
  const [needle, setNeedle] = useState('');
  const [kind, setKind] = useState('');
  const [open, setOpen] = useState(new Set());
  const [drawn, setDrawn] = useState(BATCH);
  const [raw, setRaw] = useState(false);
  const asTurns = !marked && !kind && !needle && (view || localStorage.getItem('view') || 'turns') === 'turns';
  useKeys({ r: () => { if (!asTurns) return false; setRaw(!raw); return true; } });
  const show = (name) => { localStorage.setItem('view', name); setQuery({ view: name, n: '' }); };
  const types = kind && { order: 'newest', types: KINDS[kind].join() };
  useEffect(() => {
    if (!marked) return;
    if (!journal.events.has(marked)) journal.read({ after: Math.max(0, marked - 20), limit: 40 });
    setKind('');
    setNeedle('');
    setOpen(new Set(open).add(marked));
  }, [marked]);
  useEffect(() => { if (kind) journal.read(types); }, [kind]);
  const toggle = (n) => {
    setOpen((old) => { const next = new Set(old); if (!next.delete(n)) next.add(n); return next; });
    if (n === marked) setQuery({ n: '' });
  };
  const all = !kind && !needle;
  const found = all ? journal.sorted : journal.sorted.filter((event) => (!kind || kindOf(event.type) === kind)
      && JSON.stringify([event.type, summary(event), event.data]).toLowerCase().includes(needle.toLowerCase()));
  const lines = [];
  let before = journal.head + 1;
  for (const event of asTurns ? [] : found.slice(0, drawn)) {
    const between = before - event.n - 1, after = Math.max(event.n, before - 1 - BATCH);
    if (all && between) lines.push(html`<li class="hole" key=${'before' + before}>
        <button onClick=${() => journal.read({ after, limit: Math.min(BATCH, between) })}>
          ${plural(between, 'event')} between</button></li>`);
    lines.push(html`<${Line} key=${event.n} event=${event} open=${open.has(event.n)} marked=${event.n === marked}
      toggle=${() => toggle(event.n)} />`);
    before = event.n;
  }
  const last = found.at(-1)?.n;
  const older = () => { setDrawn(drawn + BATCH); journal.read({ order: 'newest', ...types, before: last }); };
  return html`<${Card} title="Events" class="events" note=${count(journal.head)}><div class="line">
      <${Search} value=${needle} label="Filter what is read" onChange=${setNeedle} />
      <${Select} label="Kind of event" value=${kind} onChange=${setKind}
        options=${[['', 'all kinds'], ...Object.keys(KINDS).map((name) => [name, name])]} />
      <${Select} label="View" value=${asTurns ? 'turns' : 'events'} onChange=${show} options=${[['turns', 'turns'], ['events', 'every event']]} /></div>
    <${Trouble} error=${journal.error} again=${() => journal.read({ order: 'newest' })} />
    ${asTurns ? html`<${Turns} journal=${journal} raw=${raw} />` : html`<ol>${lines}</ol>`}
    ${journal.loaded && !found.length && html`<${Empty} title="No such event">
      Nothing in ${plural(journal.events.size, 'event')} read so far.<//>`}
    ${(last > 1 || found.length > drawn) && html`<p><button onClick=${older}>Older events</button></p>`}<//>`;
}

// -- the timeline: a lane a kind, a mark an event; the list is its twin in text

const LANES = { verdict: 'Verdict', tool: 'Calls', model: 'Model', approval: 'Approvals', mark: 'Phases, tests', beat: 'Beats' };
const NAMES = Object.keys(LANES), H = 20, W = 1000;
const LANE = { message: 'model', reflection: 'model', plan: 'model', compacted: 'model', heartbeat: 'beat', verdict: 'verdict',
    phase: 'mark', test: 'mark', fact: 'mark', error: 'tool', tool: 'tool', approval: 'approval' };
const laneOf = ({ type }) => LANE[type.split('.')[0]];

const END = 0.02; // of the width, for the verdict that it ended with

export function Timeline({ journal, doc }) {
  const [range, setRange] = useState(0);
  const [near, setNear] = useState(null);
  const all = [...journal.sorted].reverse();
  // Verdicts of the whole run, also of events that are not read; beside the journal, whose holes are those of the list.
  const newest = journal.sorted.find((event) => event.type === 'verdict.changed')?.n;
  const { data: past } = useLoad((signal) => get(sessionPath(doc.id, '/events') + query({ types: 'verdict.changed', order: 'newest', limit: 1000 }), { signal }), newest);
  const ended = ms(doc.ended_at) || 0;
  const from = range ? Math.max(ms(doc.opened_at), (ended || Date.now()) - range) : ms(doc.opened_at);
  const last = ended || Date.now();
  const to = ended ? last + Math.max(1, (last - from) * END) : last;
  const x = (at) => Math.round(((ms(at) - from) / Math.max(1, to - from)) * W * 10) / 10;
  const events = all.filter((event) => ms(event.at) >= from && laneOf(event));
  const paths = {}, started = {}, spans = [];
  const put = (name, lane, begin, end) => {
    const y = NAMES.indexOf(lane) * H + 4, left = Math.max(0, begin);
    paths[name] = `${paths[name] || ''}M${left} ${y}H${Math.max(end, begin + 2)}v12H${left}Z`;
  };
  let status = 'starting', since = 0;
  for (const { at, data: d } of [...(past?.events || [])].reverse()) { spans.push([d.from, since, x(at)]); status = d.to; since = x(at); }
  for (const event of all) {
    const { type, at, data: d } = event, lane = laneOf(event), here = x(at);
    if (ms(at) < from || !lane || lane === 'verdict') continue;
    if (type === 'tool.started') started[d.call_id] = here;
    else if (type === 'tool.finished') {
      put(d.ok === false ? 'bad' : 'call', lane, started[d.call_id] ?? x(ms(at) - (d.duration_ms || 0)), here);
    } else put(type === 'error.reported' || d.failed ? 'bad' : lane, lane, here, here);
  }
  spans.push([spans.length ? status : doc.verdict.status, since, W]);
  const find = ({ clientX, clientY, currentTarget }) => {
    const box = currentTarget.getBoundingClientRect();
    const lane = NAMES[Math.floor(((clientY - box.top) / box.height) * NAMES.length)],
        away = (event) => Math.abs(x(event.at) - ((clientX - box.left) / box.width) * W);
    return events.reduce((best, event) => (laneOf(event) !== lane || (best && away(best) <= away(event)) ? best : event), null);
  };
  return html`<${Card} title="Timeline" note=${`${clock(from)} – ${clock(last)} · ${span(last - from)}${all.length < journal.head ? `; marks of ${count(all.length)} of ${plural(journal.head, 'event')}` : ''}`}><div class="lanes">
      <ul aria-hidden="true">${NAMES.map((name) => html`<li key=${name}>${LANES[name]}</li>`)}</ul>
    <svg viewBox=${`0 0 ${W} ${NAMES.length * H}`} preserveAspectRatio="none" role="img"
      aria-label=${`${events.length} events; the list of events has each`} onMouseMove=${(event) => setNear(find(event))}
        onMouseLeave=${() => setNear(null)} onClick=${(event) => setQuery({ n: find(event)?.n })}>
      <path class="rule" d=${NAMES.map((_, i) => `M0 ${i * H}h${W}`).join('')} />
        ${spans.map(([name, begin, end]) => end > 0 && html`
          <rect class=${tone(name)} x=${Math.max(0, begin)} y="3" width=${Math.max(2, end - Math.max(0, begin))} height="14" />`)}
      ${Object.entries(paths).map(([name, d]) => html`<path key=${name} class=${'m-' + name} d=${d} />`)}
        ${doc.verdict.evidence?.map((n) => journal.events.get(n)).filter(Boolean).map((event) => html`<path key=${event.n} class="proof" d=${`M${x(event.at)} 0v${NAMES.length * H}`} />`)}
        ${near && html`<path class="near" d=${`M${x(near.at)} 0v${NAMES.length * H}`} />`}</svg></div>
    <p class="line hint"><span class="muted">
        ${near ? `#${near.n} ${clock(near.at)} ${near.type}: ${summary(near).slice(0, 160)}`
          : 'Point at a mark; a click opens its event'}</span>
      <${Select} label="Span" value=${range} onChange=${(value) => setRange(Number(value))}
        options=${[[0, 'the whole run'], [3600e3, 'last hour'], [600e3, 'last 10 minutes'], [60e3, 'last minute']]} /></p><//>`;
}
