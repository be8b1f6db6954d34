// SPDX-License-Identifier: Apache-2.0

// The frame around every page: navigation, link to the daemon, "needs you", help, palette.
import { html, render, useEffect, useErrorBoundary, useState } from './preact.js';
import { connect, go, readMe, showCount, state, tell, useKeys, useLive, useMe, useRoute } from './page.js';
import { clock } from './format.js';
import { cls, Empty, Icon, Trouble } from './ui.js';
import { Needs } from './needs.js';
import { Answers } from './answers.js';
import { Wall } from './pulse.js';
import { Costs } from './costs.js';
import { Fleet } from './fleet.js';
import { History } from './history.js';
import { Compare } from './compare.js';
import { Digest } from './digest.js';
import { Session } from './session.js';
import { Approvals } from './approvals.js';
import { Connect } from './connect.js';
import { Login, Overlay, System } from './more.js';
import { takeCode } from './login.js';

const PLACES = { fleet: Fleet, history: History, session: Session, wall: Wall, costs: Costs, compare: Compare, digest: Digest, approvals: Approvals, system: System, connect: Connect, login: Login, overlay: Overlay };
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

function Link() {
  useLive((message) => message.link);
  return html`<span class=${cls('link', state.link.state)} title=${'since ' + clock(state.link.since)}>
      <i />${{ live: 'live', offline: 'no connection', refused: 'not logged in' }[state.link.state] || 'connecting'}</span>`;
}
function Offline({ page }) {
  useLive((message) => message.link);
  const words = {
    offline: `The daemon has not answered since ${clock(state.link.since)}. What you see is from then; it catches up by itself.`,
    refused: 'This daemon shows nothing without a login.',
  }[state.link.state];
  const me = useMe();
  return html`${words && html`<div class="notice" role="alert"><${Icon} name="silent" /><p>${words}</p></div>`}
    ${me.logged_in === false && !me.can.control && page !== 'login' && html`<section class="notice" aria-label="Login"><p>You can only look. <code>headway dashboard</code> prints a link with a code to log in.</p></section>`}`;
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
  const waiting = state.overview?.approvals_pending;
  const label = 'Theme: ' + theme();
  return html`<header class="top"><a class="brand" href="#/">
      <svg viewBox="0 0 32 32" aria-hidden="true"><path d="M5 23l8-8 5 4 9-12" /></svg>Headway</a>
    <nav aria-label="Pages">${LINKS.map(([name, title, href]) => html`
      <a key=${name} href=${href} aria-current=${page === name ? 'page' : null}>${title}
        ${name === 'approvals' && waiting > 0 && html`<b class="badge">${waiting}</b>`}</a>`)}</nav>
    <span class="right"><a class="docs" href="/docs" title="How things work, and the API">Docs</a><${Link} /><a class=${cls('who', me.logged_in || 'out')} href="#/login">
      ${me.logged_in ? me.name || 'logged in' : 'Log in'}</a>
      <button class="quiet" onClick=${() => { nextTheme(); draw(theme()); }} title=${label} aria-label=${label}>
        <${Icon} name="theme" /></button>
      <button class="quiet" onClick=${() => open('palette')} title="Go to … ( Ctrl K or : )" aria-label="Go to">
        <${Icon} name="exploring" /></button>
      <button class="quiet keyboard" onClick=${() => open('help')} title="Keys ( ? )" aria-label="Keys">
        <${Icon} name="keyboard" /></button></span></header>`;
}

function App() {
  const route = useRoute();
  const { page, id } = route;
  const [dialog, open] = useState(null);
  const title = id || LINKS.find(([name]) => name === page)?.[1] || ({ wall: 'Wall', costs: 'Costs', compare: 'Compare', digest: 'Last 12 hours' }[page] || 'Log in');
  useLive((message) => { if (message.overview) showCount(title); });
  useEffect(() => { showCount(title); scrollTo(0, 0); }, [title]);
  useKeys({
    '?': () => open('help'), ':': () => open('palette'), 'ctrl k': () => open('palette'), 'g w': () => go('#/wall'), 'g m': () => go('#/costs'),
    ...Object.fromEntries(LINKS.map(([name, , href]) => ['g ' + name[0], () => go(href)])),
    Escape: () => { if (page !== 'fleet') history.back(); },
    '/': () => { const field = document.querySelector('[type=search]'); field ? field.focus() : go('#/'); },
  });
  return html`<${Top} page=${page} open=${open} /><${Offline} page=${page} />${page !== 'fleet' && html`<${Needs} />`}<main class=${'p-' + page}>
      <${Page} name=${page} route=${route} /></main><${Answers} />
    ${dialog && html`<${Page} name="overlay" kind=${dialog} close=${() => open(null)} />`}`;
}

takeCode().then(() => {
  connect();
  readMe();
  addEventListener('focus', () => { tell({ look: true }); readMe(); });
  render(html`<${App} />`, document.getElementById('app'));
});
