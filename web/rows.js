// SPDX-License-Identifier: Apache-2.0

// The rows of a list of the daemon: read page by page, kept up to date by the hub.
import { useEffect, useRef, useState } from './preact.js';
import { get, query } from './api.js';
import { useFresh } from './ui.js';
import { urgency } from './rank.js';
import { listen, state } from './page.js';

export const PAGE = 200;

// The most urgent need of each session, of those that the overview names.
export function needs() {
  const found = new Map();
  for (const item of state.overview?.needs_you || []) {
    const old = found.get(item.session);
    if (!old || urgency(item) < urgency(old)) found.set(item.session, item);
  }
  return found;
}

// Rows of one list of the daemon, page by page, kept up to date by the hub.
class List {
  constructor(filters, draw) {
    Object.assign(this, { filters, draw, rows: new Map(), order: [], next: null, total: 0, version: 0, asked: new Set(), abort: new AbortController() });
  }
  take(row) {
    const old = this.rows.get(row.id);
    if (!old || row.n >= old.n) this.rows.set(row.id, row);
    this.version++;
  }
  async read(cursor) {
    if (this.busy) {
      this.again ||= !cursor;
      return;
    }
    this.busy = true;
    try {
      const reply = await get('/v1/sessions' + query({ ...this.filters, view: 'row', limit: PAGE, cursor }),
          { signal: this.abort.signal });
      const ids = reply.sessions.map((row) => row.id), known = new Set(ids);
      const others = this.order.filter((id) => !known.has(id));
      // The first page again: what came after its last row still does.
      const tail = cursor || !reply.next ? [] : this.order.slice(this.order.indexOf(ids.at(-1)) + 1).filter((id) => !known.has(id));
      reply.sessions.forEach((row) => this.take(row));
      this.order = cursor ? [...others, ...ids] : [...ids, ...tail];
      if (cursor || !tail.length) this.next = reply.next;
      Object.assign(this, { total: reply.total, error: null, loaded: true });
    } catch (error) { if (error.name !== 'AbortError') this.error = error; }
    this.busy = false;
    this.version++;
    this.draw();
    if (this.again) { this.again = false; this.read(); }
  }
  // Rows further down than is read: what needs a person stands first all the same.
  async needed() {
    const ids = this.next && this.filters.open ? [...needs().keys()].filter((id) => !this.rows.has(id) && !this.asked.has(id)).slice(0, PAGE) : [];
    if (!ids.length) return;
    ids.forEach((id) => this.asked.add(id));
    const reply = await get('/v1/sessions' + query({ ...this.filters, view: 'row', limit: PAGE, ids: ids.join() }), { signal: this.abort.signal }).catch(() => {});
    for (const row of reply?.sessions || []) { this.take(row); this.order.push(row.id); }
    this.draw();
  }
}

export function useRows(filters) {
  const [, set] = useState(0);
  const draw = () => set((n) => n + 1);
  const now = useRef(), shown = useRef();
  useEffect(() => {
    const list = now.current = new List(filters, draw);
    list.read();
    return () => list.abort.abort();
  }, [query(filters)]);
  useEffect(() => listen(({ rows = [] }) => {
    const mine = rows.filter((row) => now.current.rows.has(row.id));
    mine.forEach((row) => now.current.take(row));
    if (mine.length) draw();
  }), []);
  useEffect(() => { now.current.needed(); }, [state.overview?.needs_you, now.current?.loaded]);
  useFresh(() => now.current.read(), 800);
  // Until a new list is there the old one stays: filters do not flash.
  if (now.current?.loaded || now.current?.error || !shown.current) shown.current = now.current;
  return shown.current || {};
}
