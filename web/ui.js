// SPDX-License-Identifier: Apache-2.0

// The small parts that pages are made of. Agent text reaches the page as text nodes and nowhere else.
import { h, html, Component, useEffect, useLayoutEffect, useRef, useState } from './preact.js';
import { count, escape, HIDDEN, ms, short } from './format.js';
import { Exact, get, post } from './api.js';
import { listen, useKeys } from './page.js';

export const cls = (...names) => names.filter(Boolean).join(' ');
export const sessionLink = (id, n) => `#/session/${encodeURIComponent(id)}${n ? '?n=' + n : ''}`;

// -- icons of 16 x 16 in strokes; every status has a form of its own, so that colour is never the only sign

const PATHS = {
  starting: 'M8 5v3l2 1.5M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2',
  progressing: 'M2 12l4-5 3 3 5-6M10 4h4v4',
  exploring: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10 10l3.5 3.5',
  slow: 'M4.5 2.5h7l-7 11h7z',
  waiting: 'M5.5 4v8M10.5 4v8',
  blocked: 'M5 2h6l3 3v6l-3 3H5l-3-3V5zM5 8h6',
  suspect: 'M8 2l6 11H2zM8 6v4M8 11.5v.1',
  stuck: 'M13 6A5 5 0 0 0 3 6M3 3v3h3M3 10a5 5 0 0 0 10 0M13 13v-3h-3',
  silent: 'M3 8h.1M8 8h.1M13 8h.1',
  completed: 'M3 8l3 4 7-8',
  failed: 'M4 4l8 8M12 4l-8 8',
  cancelled: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M4 12l8-8',
  halted: 'M3.5 3.5h9v9h-9z',
  approval: 'M4 7h8v6H4zM6 7V5a2 2 0 0 1 4 0v2',
  alarm: 'M8 1.5v8M8 13v.1M3 3l2 2M13 3l-2 2',
  fan_out: 'M8 2v5M8 7L3 13M8 7v6M8 7l5 6',
  question: 'M6 6a2 2 0 1 1 3 2c-1 .5-1 1-1 2M8 12.5v.1',
  over_budget: 'M11 5C9 3 5 4 5 6s6 2 6 4-4 3-6 1M8 2v12',
  theme: 'M8 2a6 6 0 1 1 0 12zM8 2a6 6 0 0 0 0 12',
  chevron: 'M6 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  keyboard: 'M2 4.5h12v7H2zM5 9h6',
};
export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d=${PATHS[name] || PATHS.starting} /></svg>`;

export const ENDED = ['completed', 'failed', 'cancelled', 'halted'];
export const OPEN = ['starting', 'progressing', 'exploring', 'slow', 'waiting', 'blocked', 'suspect', 'stuck', 'silent'];
// Only a status that there is becomes part of a class name.
export const tone = (status) => (OPEN.includes(status) || ENDED.includes(status) ? 's-' + status : '');
export const Status = ({ status, small }) => html`<span class=${cls('status', tone(status), small && 'small')}><${Icon} name=${status} />
    <span>${status}</span></span>`;

// -- time

const ticking = new Set();
setInterval(() => { if (!document.hidden) for (const ago of [...ticking]) ago.tick(); }, 1000);

// "12 s" that grows, or runs down, by itself; draws again only when its text changes.
export class Ago extends Component {
  componentDidMount() { ticking.add(this); }
  componentWillUnmount() { ticking.delete(this); }
  words() { const since = Date.now() - ms(this.props.at); return short(Math.max(0, this.props.until ? -since : since)); }
  tick() { if (this.words() !== this.shown) this.setState({}); }
  render({ at }) {
    this.shown = this.words();
    return at && html`<time datetime=${at} title=${at}>${this.shown}</time>`;
  }
}

// -- reading

// The value of `load(signal)`. Reads again when `key` changes; keeps what it has meanwhile.
export function useLoad(load, key) {
  const [result, set] = useState({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then((data) => set({ data }), (error) => { if (error.name !== 'AbortError') set((old) => ({ ...old, error })); });
    return () => abort.abort();
  }, [key, turn]);
  return { ...result, again: () => setTurn((n) => n + 1) };
}
export const useGet = (path, exact) => useLoad((signal) => get(path, { signal, exact }), path);

// Calls `action` when something may have changed, soon and then at most every `gap` ms, and when the daemon is back.
export function useFresh(action, gap, also = () => false) {
  const latest = useRef();
  latest.current = action;
  useEffect(() => {
    let timer = 0, before = 0;
    const stop = listen((message) => {
      if (timer || !(message.fresh || message.reset || message.link?.state === 'live' || also(message))) return;
      timer = setTimeout(() => { timer = 0; before = Date.now(); latest.current(); }, Math.max(60, before + gap - Date.now()));
    });
    return () => { stop(); clearTimeout(timer); };
  }, []);
}

// -- states of a page

export function Loading() {
  const [shown, show] = useState(false); // what is there within 150 ms does not flash
  useEffect(() => { const timer = setTimeout(() => show(true), 150); return () => clearTimeout(timer); }, []);
  return html`<div class="loading" role="status" aria-label="Loading">
      ${shown && [1, 2, 3, 4, 5, 6, 7, 8].map((i) => html`<i key=${i} />`)}</div>`;
}
export const Trouble = ({ error, again }) => error && html`<div class="notice bad" role="alert"><${Icon} name="suspect" />
    <p>${error.message}</p>${again && html`<button onClick=${again}>Try again</button>`}</div>`;
// In place of a page that is not there yet.
export const Unread = ({ error, again }) => (error ? html`<${Trouble} error=${error} again=${again} />` : html`<${Loading} />`);
export const Empty = ({ title, children }) => html`<div class="empty"><h3>${title}</h3><p>${children}</p></div>`;
export const Card = ({ title, note, children, class: extra }) => html`<section class=${cls('card', extra)} aria-label=${title}><header>
    <h2>${title}</h2><span class="muted">${note}</span></header>${children}</section>`;
// A card of the `items` that there are, each a list item by `line`.
export const ListCard = ({ title, note, items, line }) => items?.length > 0
    && html`<${Card} title=${title} note=${note ?? count(items.length)}>
    <ul class="list">${items.map((item, i) => html`<li key=${i}>${line(item, i)}</li>`)}</ul><//>`;

export const Plain = ({ names, children }) => html`<table class="plain"><thead><tr>${names.map((name) => html`<th scope="col" key=${name}>${name}</th>`)}</tr></thead>${children}</table>`;

// -- figures

export const Bar = ({ percent, level }) => html`<span class=${cls('bar', level)}><span class="track">
    <i style=${{ width: Math.min(100, percent || 0) + '%' }} /></span></span>`;
export const hot = (percent) => (percent >= 80 ? 'hot' : percent >= 70 ? 'warn' : '');

export const Beat = ({ row }) => (row.ended_at || row.recorded ? html`<span class="faint">${row.ended_at ? 'ended' : 'recorded in part'}</span>`
  : html`<span class=${cls('beat', row.alive && 'on')} title=${row.alive ? 'alive' : 'no beat for two intervals'}>
    <i key=${row.last_beat_at} />
      <${Ago} at=${row.last_beat_at} /></span>`);

export const Labels = ({ labels = {}, max }) => html`<span class="labels">
    ${Object.entries(labels).slice(0, max).map(([key, value]) => html`<span class="chip" key=${key} title=${`${key}: ${value}`}>
      <b>${key}</b> ${value}</span>`)}</span>`;

// Text whose invisible characters are shown: what a person approves is what he sees.
export function Visible({ text }) {
  const found = text.match(HIDDEN) || [];
  return text.split(HIDDEN).map((part, i) => [part, found[i] && html`<mark title="an invisible character">${escape(found[i])}</mark>`]);
}

// **Bold** and `code` of Markdown; all else of it stays as it was written. Text nodes, as ever.
export const Marked = ({ text }) => text.split(/(\*\*[^*\n]+\*\*|`[^`\n]+`)/).map((part, i) => (i % 2 === 0 ? h(Visible, { text: part })
  : part[0] === '*' ? html`<b><${Visible} text=${part.slice(2, -2)} /></b>` : html`<code><${Visible} text=${part.slice(1, -1)} /></code>`));

// JSON as [class, text] pieces, numbers as they were written.
function pieces(value, indent, out) {
  const put = (name, text) => out.push([name, text]);
  if (value instanceof Exact) return put('num', value.source);
  if (typeof value !== 'object' || !value) return put(typeof value === 'string' ? 'str' : 'num', JSON.stringify(value));
  const list = Array.isArray(value), keys = Object.keys(value), pad = '\n' + '  '.repeat(indent);
  if (!keys.length) return put('', list ? '[]' : '{}');
  put('', list ? '[' : '{');
  keys.forEach((key, i) => {
    put('', (i ? ',' : '') + pad + '  ');
    if (!list) { put('key', JSON.stringify(key)); put('', ': '); }
    pieces(value[key], indent + 1, out);
  });
  return put('', pad + (list ? ']' : '}'));
}
const piecesOf = (value) => { const out = []; pieces(value, 0, out); return out; };
export const written = (value) => piecesOf(value).map((piece) => piece[1]).join('');
export const Json = ({ value, label }) => html`<pre class="json" tabindex="0" role="group" aria-label=${label}>
    ${piecesOf(value).map(([name, text]) => h('i', { class: name }, h(Visible, { text })))}</pre>`;

// A modal over the browser's own, which keeps the focus inside and gives it back.
export function Dialog({ title, close, children }) {
  const ref = useRef();
  useLayoutEffect(() => ref.current.showModal(), []);
  return html`<dialog ref=${ref} aria-label=${title} onClose=${close} onClick=${(event) => event.target === ref.current && close()}><div>
    <header><h2>${title}</h2><button class="quiet" aria-label="Close" onClick=${close}><${Icon} name="failed" /></button></header>
      ${children}</div></dialog>`;
}

// A field that waits for a pause before it filters. Typed text is its own: no drawing of the page sets it.
export function Search({ value = '', onChange, label }) {
  const timer = useRef();
  const field = useRef();
  useEffect(() => { if (document.activeElement !== field.current) field.current.value = value; }, [value]);
  // Escape empties the box, and what it filters with it.
  const leave = (event) => {
    if (event.key !== 'Escape' || !field.current.value) return;
    event.preventDefault();
    clearTimeout(timer.current);
    onChange(field.current.value = '');
  };
  const change = ({ target }) => { clearTimeout(timer.current); timer.current = setTimeout(() => onChange(target.value), 120); };
  return html`<label class="search"><input ref=${field} type="search" placeholder=${label} aria-label=${label} onInput=${change}
      onKeyDown=${leave} /><kbd>/</kbd></label>`;
}
export const Select = ({ label, options, onChange, ...rest }) => html`<select ...${rest} aria-label=${label}
    onChange=${(event) => onChange(event.target.value)}>
      ${options.map(([key, name]) => html`<option key=${key} value=${key}>${name}</option>`)}</select>`;

export const REASON = ['reason', 'Reason, for the agent and the journal'];

// A second tap of the same finger comes within this time: it confirms nothing.
export const CONFIRM_AFTER_MS = 600;

// The confirmation of a dangerous decision, drawn at the start of its line, away from the button that led here. It takes the key y, and
// nothing before CONFIRM_AFTER_MS, which begins again when the key becomes its own. Where `word` is given, the person types it. In dialogs
// and forms, where keys are text, `keyed` is unset.
export function Confirm({ question, word, keyed, send, close }) {
  const [open, set] = useState(false);
  const [typed, type] = useState('');
  const field = useRef();
  useLayoutEffect(() => {
    set(false);
    const timer = setTimeout(() => set(true), CONFIRM_AFTER_MS);
    return () => clearTimeout(timer);
  }, [keyed]);
  useLayoutEffect(() => field.current?.focus(), []);
  const ready = open && (!word || typed.trim() === word);
  const confirm = () => { if (ready) send(); };
  useKeys({ y: keyed && !word ? confirm : () => false });
  const key = (event) => {
    if (event.key === 'Escape') { event.stopPropagation(); event.preventDefault(); close(); }
    if (event.key === 'Enter' && event.target === field.current) { event.preventDefault(); if (!event.repeat) confirm(); }
  };
  return html`<p class="line confirm" onKeyDown=${key}>
    <button type="button" class="primary sure" disabled=${!ready} onClick=${confirm}>${question}${keyed && !word && html` <kbd>y</kbd>`}</button>
    ${word && html`<label>Type <code>${word}</code> to confirm <input ref=${field} autocomplete="off" autocapitalize="off" spellcheck="false"
      onInput=${(event) => type(event.target.value)} /></label>`}
    <button type="button" onClick=${close}>Back</button></p>`;
}

const SHOWN_PATHS = 4;

// A form that shows what it will send before it does, to one path or to each of several. `fields` are [name, title, type or options]; `body(values)` is sent, nothing while
// it is null. Where `sure(values)` says something, that has to be confirmed too, by typing `word` where there is one.
export function Sending({ title, what, path, fields, body, sure, word, close, done }) {
  const [values, set] = useState({});
  const [error, setError] = useState(null);
  const [asked, ask] = useState(false);
  const busy = useRef(false);
  const left = useRef([path].flat()), all = left.current;
  const data = body(values), question = sure?.(values);
  const change = (name) => (value) => { ask(false); set({ ...values, [name]: value }); };
  const submit = (event) => {
    event.preventDefault();
    if (!question) send();
    else ask(true);
  };
  const send = () => {
    if (busy.current) return;
    busy.current = true;
    sendAll().then((reply) => { close(); done(reply); }, (problem) => { busy.current = false; ask(false); setError(problem); });
  };
  // One after the other; where one is refused the others still go, and a further try sends to that one only.
  const sendAll = async () => {
    let reply, problem;
    const refused = [];
    for (const one of all) await post(one, body(values, one)).then((got) => { reply = got; }, (error) => { problem = error; refused.push(one); });
    if (!problem) return reply;
    if (all.length > 1) problem.message = `${refused.length} of ${all.length} refused it; the last: ${problem.message}`;
    left.current = refused;
    throw problem;
  };
  const field = ([name, label, kind]) => html`<label key=${name} class="field">${label}${Array.isArray(kind)
    ? html`<${Select} autofocus label=${label} value=${values[name] || ''} options=${kind} onChange=${change(name)} />`
    : html`<input autofocus type=${kind} min="0" step="any" onInput=${(event) => change(name)(event.target.value)} />`}</label>`;
  return html`<${Dialog} title=${title} close=${close}>
      <form onSubmit=${submit} onKeyDown=${(event) => event.key === 'Enter' && event.repeat && event.preventDefault()}>
      <p>${what}</p>${fields.map(field)}
    <p class="muted">This is sent:</p><pre class="json" tabindex="0">${all.slice(0, SHOWN_PATHS).map((one) => `POST ${one}\n`)}${
      all.length > SHOWN_PATHS && `… and ${all.length - SHOWN_PATHS} more\n`}${JSON.stringify(data || {})}</pre>
    <${Trouble} error=${error} />
    ${asked ? html`<${Confirm} key=${question} question=${question} word=${word} send=${send} close=${() => ask(false)} />`
      : html`<p class="line end"><button type="button" onClick=${close}>Back</button>
        <button class="primary" disabled=${!data}>Send</button></p>`}</form><//>`;
}
