// SPDX-License-Identifier: Apache-2.0

// Code shared by all pages: the live connection, the address, the keyboard, the login, and the title of a tab in the background.
import { useEffect, useLayoutEffect, useRef, useState } from './preact.js';
import { get } from './api.js';
import { plural } from './format.js';
import { Hub } from './hub.js';
import { keyOf, urgency } from './rank.js';
import { sorted } from './snooze.js';
import { keepLogin, onLogin } from './login.js';

// -- the page's end of the hub: in a SharedWorker where there is one, else in the page itself

const listeners = new Set();
const said = { watch: [], follow: null, login: '' }; // said again to a hub that forgot this page
let send;
export const state = { link: { state: 'connecting', since: Date.now() }, overview: null };

function deliver(message) {
  if (message.forgot) { // what it did not follow meanwhile is read
    send(said);
    message = { reset: true };
  }
  Object.assign(state, message.link && { link: message.link }, message.overview && { overview: message.overview });
  for (const listener of [...listeners]) listener(message);
  if (message.link?.state === 'live') readMe(); // it may be another daemon by now
}

function inPage() {
  const hub = new Hub();
  const port = { send: deliver };
  send = (message) => hub.receive(port, message);
  send(said);
}

export function connect() {
  onLogin((secret) => { said.login = secret; if (send) { send({ login: secret }); readMe(); } });
  setInterval(() => send({}), 20000); // also to a hub in the page: it forgets a page that is still
  if (!globalThis.SharedWorker) return inPage();
  const { port } = Object.assign(new SharedWorker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'headway' }),
      { onerror: inPage });
  port.onmessage = ({ data }) => deliver(data);
  send = (message) => port.postMessage(message);
  send(said);
  addEventListener('pagehide', () => send({ bye: true }));
  addEventListener('pageshow', (event) => { if (event.persisted) { send(said); deliver({ reset: true }); } });
}

// `listener` gets {link}, {overview}, {rows}, {events}, {gap}, {fresh}, {reset}; returns how to stop.
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
// {watch: rows} that are on the screen, {follow: id} whose events are wanted, {look: true} for a new overview.
export function tell(message) {
  for (const key in said) if (key in message) said[key] = message[key];
  send(message);
}
export function useLive(pick) {
  const [, draw] = useState(0);
  useEffect(() => listen((message) => { if (pick(message)) draw((n) => n + 1); }), []);
}

// -- the address: #/session/<id>?n=4 is {page: 'session', id, query: {n: '4'}}

function parse() {
  const [path, search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [page, ...rest] = path.split('/');
  let id = rest.join('/');
  try { id = decodeURIComponent(id); } catch { /* as it stands */ }
  return { page: page || 'fleet', id, query: Object.fromEntries(new URLSearchParams(search)) };
}
export function useRoute() {
  const [route, set] = useState(parse());
  useEffect(() => addEventListener('hashchange', () => set(parse())), []);
  return route;
}
export const go = (hash) => { location.hash = hash; };

// Changes the query of the address in place, without a new entry in the history.
export function setQuery(changes) {
  const next = new URLSearchParams(Object.entries({ ...parse().query, ...changes }).filter(([, value]) => value)).toString();
  history.replaceState(null, '', (location.hash.split('?')[0] || '#/') + (next && '?' + next));
  dispatchEvent(new Event('hashchange'));
}

// -- the keyboard; the page that bound its keys last is asked first

const bound = [];
let prefix = '';

addEventListener('keydown', (event) => {
  const chord = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === 'k';
  // A key that is held down moves through a list, and does nothing else twice.
  if (((event.ctrlKey || event.metaKey) && !chord) || event.altKey || (event.repeat && !/^[jkA]/.test(event.key))
      || document.querySelector('dialog[open]')) return;
  if (!chord && event.target.closest('input, textarea, select')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  // Enter and space belong to what has the focus.
  if (/^(Enter| )$/.test(event.key) && event.target.closest('a, button, summary')) return;
  const key = chord ? 'ctrl k' : prefix + event.key;
  prefix = key === 'g' ? 'g ' : '';
  for (const { current } of bound) {
    if (current[key] && current[key]() !== false) { event.preventDefault(); return; }
  }
});

// `map` is {key: action}; an action that returns false leaves the key to others.
export function useKeys(map) {
  const ref = useRef();
  ref.current = map;
  useLayoutEffect(() => { // as soon as it is seen: a key pressed before the paint counts
    bound.unshift(ref);
    return () => { bound.splice(bound.indexOf(ref), 1); };
  }, []);
}

// -- what the palette offers beside pages and sessions: [name, action] of the page that is open

const offers = [];
export function useOffers(list) {
  const ref = useRef();
  ref.current = list;
  useEffect(() => {
    offers.unshift(ref);
    return () => { offers.splice(offers.indexOf(ref), 1); };
  }, []);
}
export const offered = () => offers.flatMap(({ current }) => current);

// -- who looks, and what he may do

let me = { can: { read: true }, scopes: [] };
const watchers = new Set();
export function readMe() {
  const { login } = said;
  return get('/v1/me').then((reply) => {
    if (login !== said.login) return; // about who looked before
    if (login && !reply.logged_in) keepLogin(''); // it has expired, or the daemon is another by now
    me = reply;
    for (const watcher of watchers) watcher(me);
  }, () => {});
}
export function useMe() {
  const [value, set] = useState(me);
  useEffect(() => { watchers.add(set); set(me); return () => watchers.delete(set); }, []);
  return value;
}
// Why he may not, or '' when he may.
export const refusal = (value, scope) => (value.can[scope] ? '' : value.logged_in ? `Your login has no scope “${scope}”.`
    : 'Read only: log in with the URL that “headway dashboard” prints.');

// -- a tab in the background: the count in title and icon; when asked for, a notification of what is new

const icon = document.querySelector('link[rel=icon]');
const plain = icon.href;
const standing = new Map(); // notifications that were shown here, by what they are about
let known, shown, place = '';

const badge = (count) => 'data:image/svg+xml,' + encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
    <rect width="32" height="32" rx="8" fill="#1f6f5c"/>
    <text x="16" y="23" fill="#fff" font-size="20" font-family="sans-serif" text-anchor="middle">${Math.min(99, count)}</text></svg>`);

export const notifies = () => globalThis.Notification?.permission === 'granted' && localStorage.getItem('notify') === 'on';
const choose = (on) => { localStorage.setItem('notify', on ? 'on' : 'off'); return on; };
// Browsers of phones have the class, ask for the permission, and throw at each use.
function note(title, options) {
  try { return new Notification(title, { icon: plain, ...options }); } catch { choose(false); return null; }
}
// Turns notifications on or off; resolves to whether they are on, or rejects with why they cannot be.
export async function toggleNotify() {
  if (notifies()) return choose(false);
  const allowed = await globalThis.Notification?.requestPermission();
  if (allowed === 'granted' && note('Headway', { tag: 'headway', body: 'Notifications are on: what needs you comes like this.' })) return choose(true);
  throw new Error(allowed && allowed !== 'granted' ? 'Your browser has been asked not to show notifications of this page; its settings can change that.'
      : 'This browser cannot show notifications of this page, like most on phones. A webhook reaches you there.');
}

export function showCount(where = place) {
  place = where;
  const { here: needs, total } = sorted(state.overview);
  document.title = `${total ? `(${total}) ` : ''}${where} · Headway`;
  if (total !== shown) {
    shown = total;
    icon.href = total ? badge(total) : plain;
  }
  // A newer alarm is news, but not those that are left when some are acknowledged.
  const key = (item) => [item.kind, item.session, !item.up_to && item.approval].join(' ');
  const [first, ...more] = known ? needs.filter((item) => !(known.get(key(item)) >= (item.up_to || 0))) : [];
  if (state.overview) known = new Map(needs.map((item) => [key(item), item.up_to || 0]));
  const keys = new Set(needs.map(keyOf));
  for (const [about, one] of standing) if (!keys.has(about)) { one.close(); standing.delete(about); }
  if (!first || !document.hidden || !notifies()) return;
  const body = more.length ? `and ${plural(more.length, 'more thing')} need you` : first.reason;
  // A tag for each thing: all tabs show one notification of it, and none takes the place of another, which would make no sound. Alarms
  // and critical requests stay until a person has seen them.
  const tag = keyOf(first), one = note(first.goal || first.session, { body, tag, requireInteraction: urgency(first) < 2 });
  if (one) standing.set(tag, one);
}
