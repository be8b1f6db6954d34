// SPDX-License-Identifier: Apache-2.0

// Needs that a person has put aside in this browser: until a time, or until they change. The daemon goes on saying it, and others see it.
import { keyOf } from './rank.js';

const NAME = 'aside', MAX = 1000;
export const SEEN = Number.MAX_SAFE_INTEGER; // no time: until it is another thing, which has another key

function read() {
  let all = {};
  try { all = JSON.parse(localStorage.getItem(NAME)) || {}; } catch { /* as if there were none */ }
  return typeof all === 'object' ? all : {};
}
function write(all) {
  const now = Date.now();
  localStorage.setItem(NAME, JSON.stringify(Object.fromEntries(Object.entries(all).filter(([, until]) => until > now).slice(-MAX))));
}

export function putAside(items, until) { write({ ...read(), ...Object.fromEntries(items.map((item) => [keyOf(item), until])) }); }
export function takeBack(items) {
  const all = read();
  for (const item of items) delete all[keyOf(item)];
  write(all);
}

// {here: what is to be seen, aside: what was put aside, total: how many are to be seen, unread ones included} of an overview.
export function sorted(overview) {
  const items = overview?.needs_you || [], all = read(), now = Date.now();
  const aside = items.filter((item) => all[keyOf(item)] > now);
  const here = aside.length ? items.filter((item) => !aside.includes(item)) : items;
  return { here, aside, total: Math.max(here.length, (overview?.needs_you_total || 0) - aside.length) };
}
