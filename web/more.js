// SPDX-License-Identifier: Apache-2.0

// Pages and dialogs that are wanted seldom: help, palette, login, system.
import { html, useEffect, useRef, useState } from './preact.js';
import { post } from './api.js';
import { Ago, Bar, Card, cls, Dialog, Plain, Trouble, Unread, useGet } from './ui.js';
import { bytes, count, date, span } from './format.js';
import { notifies, toggleNotify, useMe } from './page.js';
import { keepLogin, logOut } from './login.js';
import { Palette } from './palette.js';

const KEYS = [
  ['Everywhere', '?=these keys', 'ctrl k=palette (or :)', '/=filter', 'n=next that needs you', 'g f=fleet', 'g a=approvals',
    'g h=history', 'g w=wall of pulses', 'g m=costs', 'g s=system', 'g c=connect an agent', 'esc=back'],
  ['Lists', 'j k=down, up', 'enter=open', '→ ←=open and close what is below', 'z=snooze the line in Needs you that has the focus', 'x=mark what has the focus in an open line; in the history, a run', 'c=compare two marked runs'],
  ['A session', 'e=end it, when it is silent', 'r=raw JSON in the turns'],
  ['Approvals', 'j k=next, previous', 'a=approve; twice when the risk is high', 'd=deny, with a reason', 'e=edit, then approve',
    's=approve from now on, for the session or a time', 'i=decide all identical ones together'],
];
function Help({ close }) {
  const [notify, setNotify] = useState(notifies());
  const [error, setError] = useState(null);
  const turn = () => toggleNotify().then((on) => { setNotify(on); setError(null); }, setError);
  return html`<${Dialog} title="Keys" close=${close}><div class="keys">
      ${KEYS.map(([title, ...keys]) => html`<section key=${title}><h3>${title}</h3>
      <dl>${keys.map((line) => {
    const [key, what] = line.split('=');
    return html`<div key=${line}><dt>${key.split(' ').map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${what}</dd></div>`;
  })}</dl></section>`)}</div><p class="line">
      <button onClick=${turn}>
        ${notify ? 'Turn notifications off' : 'Turn notifications on'}</button>
      <span class="muted">for what needs you while this tab is in the background</span></p><${Trouble} error=${error} />
    <p class="line"><a href="/docs">Documentation</a> <a href="/docs/api">The API, with examples</a></p><//>`;
}

export const Overlay = ({ kind, close }) => (kind === 'help' ? html`<${Help} close=${close} />` : html`<${Palette} close=${close} />`);

// A URL or a code from the machine of the daemon, where it cannot be opened there: over SSH, for a phone.
function Paste() {
  const [value, set] = useState('');
  const [error, setError] = useState(null);
  const code = value.trim().replace(/^.*code=/, '');
  const submit = (event) => {
    event.preventDefault();
    post('/v1/login', { code }).then(({ secret }) => keepLogin(secret), setError);
  };
  return html`<form onSubmit=${submit}><label class="field">The URL, or the code at its end<input autocomplete="one-time-code" autocapitalize="off" spellcheck="false"
      value=${value} onInput=${(event) => set(event.target.value)} /></label>
    <${Trouble} error=${error} /><p class="line"><button class="primary" disabled=${!/^\w+$/.test(code)}>Log in</button></p></form>`;
}

export function Login({ route }) {
  const me = useMe();
  const [error, setError] = useState(null);
  if (me.logged_in) {
    return html`<h1>You are logged in</h1><${Trouble} error=${error} /><${Card} title="This browser">
        <p>As <b>${me.name}</b>; it may ${me.scopes.join(', ').replace('report:,', 'report,')}.</p>
      <p><button title="Sends POST /v1/logout" onClick=${() => logOut().catch(setError)}>Log out</button></p><//>`;
  }
  return html`<h1>Log in</h1>${route.query.failed
      && html`<${Trouble} error=${{ message: 'The URL was used already, or is older than ten minutes. Ask for a new one.' }} />`}
    <${Card} title="With a one-time URL"><p>On the machine where the daemon runs:</p>
      <pre class="json" tabindex="0">headway dashboard --open</pre>
        <p class="muted">The URL is good once, for ten minutes. The login is kept in this browser, for this daemon only, and ends with it.
    ${me.can.read ? ' Until then you can look, but not decide or steer.' : ' Without it nothing can be read here.'}</p><${Paste} /><//>`;
}

const Fill = ({ value, max }) => html`${count(value)} <small>of ${count(max)}</small> <${Bar} percent=${(value / max) * 100}
    level=${value / max > 0.8 && 'hot'} />`;
const useEvery = (again) => useEffect(() => {
  const timer = setInterval(() => document.hidden || again(), 2000);
  return () => clearInterval(timer);
}, []);
const HOOK = { active: 's-completed', failing: 's-suspect', removed: 's-cancelled' };
function Webhooks() {
  const { data, again } = useGet('/v1/webhooks');
  useEvery(again);
  return data?.webhooks.length > 0 && html`<${Card} title="Webhooks"><${Plain} names=${['Webhook', 'State', 'Waiting', 'Given up', 'Delivered']}>
      ${data.webhooks.map((w) => html`<tbody key=${w.name}><tr><td><b>${w.name}</b></td>
    <td><span class=${cls('status', HOOK[w.state] || 's-failed')}>${w.state}</span></td>
        <td>${count(w.pending)}</td><td>${count(w.dead)}</td><td>${count(w.delivered)}</td></tr>
      <tr><td colspan="5"><small class="muted">${w.problem || (w.state === 'failing' ? w.last_failure : w.url)}</small></td></tr></tbody>`)}
    <//><//>`;
}
const BREAKER = { closed: 's-completed', half_open: 's-suspect', open: 's-failed' };
// Events a second between two readings, and the most since the page was opened.
function useFlow(system) {
  const flow = useRef({ now: null, most: 0 }).current;
  const head = system?.database.head;
  if (head != null && head !== flow.head) {
    const at = Date.now();
    if (flow.at && head > flow.head) { flow.now = (head - flow.head) / ((at - flow.at) / 1000); flow.most = Math.max(flow.most, flow.now); }
    Object.assign(flow, { head, at });
  } else if (flow.at && Date.now() - flow.at > 6000) flow.now = 0;
  return flow;
}

function Tokens() {
  const { data } = useGet('/v1/tokens');
  const active = data?.tokens.filter((token) => token.active) || [];
  return active.length > 0 && html`<${Card} title="Tokens" note=${count(active.length)}><${Plain} names=${['Name', 'Scopes', 'Last used']}><tbody>${active.map((token) => html`<tr key=${token.id}><td><b>${token.name}</b></td><td>${token.scopes.join(', ')}</td>
      <td>${token.last_used_at ? html`<${Ago} at=${token.last_used_at} /> ago` : 'never'}</td></tr>`)}</tbody><//><//>`;
}

export function System() {
  const { data: s, error, again } = useGet('/v1/system');
  useEvery(again);
  const flow = useFlow(s);
  const me = useMe();
  if (!s) return html`<${Unread} error=${error} again=${again} />`;
  const { version: v, database: d, commits: c } = s;
  const cards = {
    Headway: { Version: v.version, 'Running for': html`<${Ago} at=${s.started_at} /> <small>since ${date(s.started_at)}</small>`,
      Memory: bytes(s.rss_bytes), Access: s.mode, Commit: v.git, Compiler: v.compiler, SQLite: v.sqlite, Boost: v.boost },
    Database: { Size: bytes(d.bytes), Events: count(d.head),
      'A second': flow.now == null ? 'measured while this page is open' : html`${flow.now.toFixed(1)} <small>at most ${flow.most.toFixed(1)} since you are here</small>`, 'Write-ahead log': bytes(d.wal_bytes),
      'Free on disk': bytes(d.disk_free_bytes), Retention: s.retention_seconds ? span(s.retention_seconds * 1000) : 'unlimited',
      File: d.path },
    Commits: { Made: count(c.count), Median: c.p50_ms + ' ms', '99th percentile': c.p99_ms + ' ms',
      Queue: html`<${Fill} value=${s.queue.waiting} max=${s.queue.max} />` },
    Clients: { Connections: html`<${Fill} value=${s.connections.open} max=${s.connections.max} />`,
      Streams: html`<${Fill} value=${s.streams.clients} max=${s.streams.max} />`, Waiters: count(s.waiters.count),
      'Open sessions': count(s.sessions.open), 'In memory': count(s.sessions.in_memory) },
  };
  return html`<div class="head"><h1>System</h1><span class="muted">read every two seconds</span>
      <span class="tools"><a href="#/digest">Last 12 hours</a> <a href="/metrics">Metrics</a> <a href="/docs/operations">Operations</a> <a href="/docs/api">API</a></span></div>
      <${Trouble} error=${error} again=${again} />
      <div class="grid">${Object.entries(cards).map(([title, rows]) => html`<${Card} key=${title} title=${title}><dl class="facts">
      ${Object.entries(rows).map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl><//>`)}
    <${Card} title="Judge">${s.judge.endpoints.length ? html`<${Plain} names=${['Endpoint', 'Model', 'Breaker', 'Asking', 'Waiting']}><tbody>${s.judge.endpoints.map((e) => html`<tr key=${e.name}><td><b>${e.name}</b> <small class="muted">${e.role}</small></td>
      <td>${e.model}</td><td><span class=${cls('status', BREAKER[e.breaker])}>${e.breaker.replace('_', ' ')}</span></td>
          <td>${e.in_flight}</td>
          <td>${e.waiting}</td></tr>`)}</tbody>
          <//>`
      : html`<p class="muted">No model is asked. <code>[judge.endpoints.NAME]</code> in the settings names one.</p>`}<//>
    <${Webhooks} />${me.can.admin && html`<${Tokens} />`}</div>`;
}
