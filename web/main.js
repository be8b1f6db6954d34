// SPDX-License-Identifier: Apache-2.0

// The frame around every page: navigation, link to the daemon, "needs you", help, palette.
import { html, render, useEffect, useErrorBoundary, useRef, useState } from './preact.js';
import { connect, go, readMe, showCount, state, tell, useKeys, useLive, useMe, useRoute } from './page.js';
import { ALARMS, clock, plural, unmark, until } from './format.js';
import { Ago, cls, Empty, Icon, sessionLink, Trouble } from './ui.js';
import { Fleet, History } from './fleet.js';
import { Session } from './session.js';
import { Approvals } from './approvals.js';
import { Connect } from './connect.js';
import { Login, Overlay, System } from './more.js';
import { takeCode } from './login.js';

const PLACES = { fleet: Fleet, history: History, session: Session, approvals: Approvals, system: System, connect: Connect, login: Login, overlay: Overlay };
const LINKS = [['fleet', 'Fleet', '#/'], ['approvals', 'Approvals', '#/approvals'], ['history', 'History', '#/history'],
    ['system', 'System', '#/system'], ['connect', 'Connect', '#/connect']];

// A page that fails takes nothing else with it.
function Page({ name, ...props }) {
  const [error, forget] = useErrorBoundary((problem) => console.error(problem));
  const key = name + props.route?.id;
  useEffect(() => { if (error) forget(); }, [key]);
  if (error) return html`<${Trouble} error=${{ message: 'This page has failed: ' + error.message }} again=${forget} />`;
  return PLACES[name] ? html`<${PLACES[name]} key=${key} ...${props} />`
      : html`<${Empty} title="There is no such page"><a href="#/">To the fleet</a><//>`;
}

const WORDS = { approval: 'Approval', question: 'Question', stuck: 'Stuck', over_budget: 'Over budget', blocked: 'Blocked',
    silent: 'Silent', alarm: 'Alarm', waiting: 'Waiting', fan_out: 'Sub-agents' };
const where = (item) => (item.kind === 'approval' ? '#/approvals?id=' + encodeURIComponent(item.approval) : sessionLink(item.session));

function calm({ counts, open }) {
  const working = (counts.progressing || 0) + (counts.exploring || 0);
  if (!open) return 'Nothing needs you right now. No agent is running.';
  return `Nothing needs you right now – ${working ? plural(working, 'agent') + ' working' : plural(open, 'session') + ' open'}.`;
}

// Agents whose hooks have broken go on without being seen.
function broken({ mute = 0, degraded = 0 } = {}) {
  const words = [mute && `${plural(mute, 'agent')} at work, but no hook of ${mute > 1 ? 'theirs' : 'it'} comes`,
      degraded && `hooks of ${plural(degraded, 'agent')} are incomplete`].filter(Boolean).join('; ');
  return words && html`<p class="calm bad">${words}: <code>headway doctor AGENT</code></p>`;
}

// What was reported or counted is drawn solid, what a rule infers dashed.
const Need = ({ item }) => html`
  <a class=${cls('need', 'k-' + (WORDS[item.kind] ? item.kind : ''), item.certain || 'guess')} href=${where(item)}>
    <span class="kind"><${Icon} name=${item.kind} /><b>${WORDS[item.kind] || item.kind}${until(item.retry_at)}</b>
    ${!item.certain && html`<em title="a rule's guess, not something that was said">likely</em>`}
      ${/high|critical/.test(item.risk) && html`<em class="bad">${item.risk} risk</em>`}<${Ago} at=${item.since} /></span>
  <span class="what">${item.goal || item.session}</span><span class="why" title=${item.reason}>
      ${(item.kind === 'alarm' && ALARMS[item.reason_code]) || (item.approval ? unmark(item.reason || '') : item.reason)}</span></a>`;

// On every page, oldest first.
function Needs() {
  useLive((message) => message.overview);
  const [all, setAll] = useState(false);
  const at = useRef(-1);
  const { overview } = state;
  const items = overview?.needs_you || [], total = overview?.needs_you_total;
  useKeys({ n: () => { if (items.length) go(where(items[at.current = (at.current + 1) % items.length])); } });
  const said = items.slice(0, 3).map((item) => `${WORDS[item.kind]} ${item.goal || item.session}`).join('; ');
  return html`<section class=${cls('needs', total && 'some')} aria-label="Needs you">
    <p class="sr" role="status" aria-live="polite">
      ${total ? `${plural(total, 'thing')} ${total > 1 ? 'need' : 'needs'} you: ${said}` : ''}</p>
    ${!total ? html`<p class="calm">${overview && html`<${Icon} name="completed" />${calm(overview)}`}</p>`
      : html`<h2>Needs you <b>${total}</b></h2>
          <div>${items.slice(0, all ? 100 : 4).map((item) => html`<${Need} key=${item.kind + item.session + item.approval}
            item=${item} />`)}</div>
      ${total > 4 && html`<button class="quiet" aria-expanded=${String(all)} onClick=${() => setAll(!all)}>
        ${all ? 'Fewer' : `${total - 4} more`}</button>`}`}
    ${broken(overview?.hook_channels)}</section>`;
}

function Link() {
  useLive((message) => message.link);
  return html`<span class=${cls('link', state.link.state)} title=${'since ' + clock(state.link.since)}>
      <i />${{ live: 'live', offline: 'no connection', refused: 'not logged in' }[state.link.state] || 'connecting'}</span>`;
}
function Offline() {
  useLive((message) => message.link);
  const words = {
    offline: `The daemon has not answered since ${clock(state.link.since)}. What you see is from then; it catches up by itself.`,
    refused: 'This daemon shows nothing without a login.',
  }[state.link.state];
  return words && html`<div class="notice" role="alert"><${Icon} name="silent" /><p>${words}</p></div>`;
}

const root = document.documentElement;
const theme = () => root.dataset.theme;
function nextTheme() {
  localStorage.setItem('theme', root.dataset.theme = { auto: 'dark', dark: 'light' }[theme()] || 'auto');
  dispatchEvent(new Event('theme'));
}

function Top({ page, open }) {
  useLive((message) => message.overview);
  const me = useMe();
  const [, draw] = useState(theme());
  const waiting = state.overview?.needs_you.filter((item) => item.approval).length;
  const label = 'Theme: ' + theme();
  return html`<header class="top"><a class="brand" href="#/">
      <svg viewBox="0 0 32 32" aria-hidden="true"><path d="M5 23l8-8 5 4 9-12" /></svg>Headway</a>
    <nav aria-label="Pages">${LINKS.map(([name, title, href]) => html`
      <a key=${name} href=${href} aria-current=${page === name ? 'page' : null}>${title}
        ${name === 'approvals' && waiting > 0 && html`<b class="badge">${waiting}</b>`}</a>`)}</nav>
    <span class="right"><a class="docs" href="/docs" title="How things work, and the API">Docs</a><${Link} /><a class=${cls('who', me.logged_in || 'out')} href="#/login">
      ${me.logged_in ? me.name || 'logged in' : html`<span>read only · </span>log in`}</a>
      <button class="quiet" onClick=${() => { nextTheme(); draw(theme()); }} title=${label} aria-label=${label}>
        <${Icon} name="theme" /></button>
      <button class="quiet" onClick=${() => open('palette')} title="Go to … ( : )" aria-label="Go to">
        <${Icon} name="exploring" /></button>
      <button class="quiet keyboard" onClick=${() => open('help')} title="Keys ( ? )" aria-label="Keys">
        <${Icon} name="keyboard" /></button></span></header>`;
}

function App() {
  const route = useRoute();
  const { page, id } = route;
  const [dialog, open] = useState(null);
  const title = id || LINKS.find(([name]) => name === page)?.[1] || 'Log in';
  useLive((message) => { if (message.overview) showCount(title); });
  useEffect(() => { showCount(title); scrollTo(0, 0); }, [title]);
  useKeys({
    '?': () => open('help'), ':': () => open('palette'),
    ...Object.fromEntries(LINKS.map(([name, , href]) => ['g ' + name[0], () => go(href)])),
    Escape: () => { if (page !== 'fleet') history.back(); },
    '/': () => { const field = document.querySelector('[type=search]'); field ? field.focus() : go('#/'); },
  });
  return html`<${Top} page=${page} open=${open} /><${Offline} /><${Needs} /><main class=${'p-' + page}>
      <${Page} name=${page} route=${route} /></main>
    ${dialog && html`<${Page} name="overlay" kind=${dialog} close=${() => open(null)} />`}`;
}

takeCode().then(() => {
  connect();
  readMe();
  addEventListener('focus', () => { tell({ look: true }); readMe(); });
  render(html`<${App} />`, document.getElementById('app'));
});
