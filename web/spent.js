// SPDX-License-Identifier: Apache-2.0

// How long a run had each verdict, by the changes in its journal. Those of ended runs are read once, and only for rows on the screen.
import { useEffect, useState } from './preact.js';
import { get, query, sessionPath } from './api.js';
import { OPEN } from './ui.js';
import { ms, short, span } from './format.js';

const WORST = ['stuck', 'blocked', 'silent'];
const KEPT = 2000;
const PAUSE_MS = 150; // nothing is read for rows that are scrolled past

// Milliseconds by verdict up to `end`; `changes` are the events verdict.changed, the newest first.
export function spent(changes, end) {
  const sum = {};
  let to = ms(end) || Date.now();
  for (const { at, data } of changes) {
    sum[data.to] = (sum[data.to] || 0) + Math.max(0, to - ms(at));
    to = ms(at);
  }
  return sum;
}

// {words: "stuck 8m", all: "exploring 3m 2s, stuck 8m 0s"}; the worst that it was for a second at least.
export async function readSpent(id, end, signal) {
  const { events, more } = await get(sessionPath(id, '/events') + query({ types: 'verdict.changed', order: 'newest', limit: 1000 }), { signal });
  const sum = spent(events, end), long = (status) => sum[status] >= 1000, worst = WORST.find(long);
  return { words: worst ? `${worst} ${short(sum[worst])}${more ? '+' : ''}` : '', all: OPEN.filter(long).map((status) => `${status} ${span(sum[status])}`).join(', ') };
}

const known = new Map(); // id -> {n, words, all}; a run that goes on has another n
export function useSpent(rows) {
  const [, draw] = useState(0);
  const wanted = rows.filter((row) => row.ended_at && known.get(row.id)?.n !== row.n);
  useEffect(() => {
    if (!wanted.length) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      if (known.size > KEPT) known.clear();
      for (const row of wanted) {
        const found = await readSpent(row.id, row.ended_at, abort.signal).catch(({ status }) => status === 404 && { words: '' });
        if (abort.signal.aborted || !found) return; // without an answer, when other rows are on the screen
        known.set(row.id, { n: row.n, ...found });
      }
      draw((n) => n + 1);
    }, PAUSE_MS);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [wanted.map((row) => `${row.id} ${row.n}`).join()]);
  return (row) => { const found = known.get(row.id); return found?.n === row.n ? found : undefined; };
}
