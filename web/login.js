// SPDX-License-Identifier: Apache-2.0

// The login of this browser, in the storage of this origin: scheme, name and port, which no other server of the machine can read.
import { post, setLogin } from './api.js';

const KEY = 'login';
const watchers = new Set();

function stored() {
  try { return localStorage.getItem(KEY) || ''; } catch { return ''; }
}

function use(secret) {
  setLogin(secret);
  for (const watcher of watchers) watcher(secret);
}

export function keepLogin(secret) {
  try {
    if (secret) localStorage.setItem(KEY, secret); else localStorage.removeItem(KEY);
  } catch { /* then until the page is left */ }
  use(secret);
}

// `watcher(secret)` at once and whenever a tab logs in or out.
export function onLogin(watcher) {
  watchers.add(watcher);
  watcher(stored());
}
addEventListener('storage', (event) => { if (event.key === KEY || event.key === null) use(stored()); });

// Changes the code of a link, #/login?code=..., for a login. The code goes out of the address first, and counts once.
export async function takeCode() {
  setLogin(stored());
  const [, code] = /^#\/login\?code=(\w+)$/.exec(location.hash) || [];
  if (!code) return;
  history.replaceState(null, '', '#/login');
  try {
    keepLogin((await post('/v1/login', { code })).secret);
    location.hash = '#/';
  } catch {
    location.hash = '#/login?failed=1';
  }
}

export const logOut = () => post('/v1/logout').then(() => keepLogin(''));
