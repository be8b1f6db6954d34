// SPDX-License-Identifier: Apache-2.0

// Ended sessions: the list of the fleet, with how many ended how, how long each was stuck, and two of them marked to compare.
import { html } from './preact.js';
import { get, query } from './api.js';
import { Empty, ENDED, useFresh, useGet, useLoad } from './ui.js';
import { plural, span } from './format.js';
import { useRows } from './rows.js';
import { Listing } from './fleet.js';

// Effects that timers would have had.
function Saved() {
  const { data } = useGet('/v1/analytics/timeouts');
  if (!data) return null;
  const figure = (value, words) => html`<p><b>${value}</b> ${words}</p>`;
  return data.sessions ? html`<section class="saved" aria-label="Saved by status">
      ${figure(data.saved, `of ${plural(data.sessions, 'session')} completed although an old timer would have ended them`)}
      ${figure(span(data.saved_ms), 'of work after the moment of the timer')}
        ${figure(data.would_have_killed, 'would have been ended in all')}</section>`
    : html`<p class="calm">Coming from timeouts? <code>[legacy_timeouts] mode = "observe"</code> notes what they would have ended.</p>`;
}

// How many ended how, of those that the other filters leave.
function useTallies(filters) {
  const { data = [], again } = useLoad((signal) => Promise.all(ENDED.map((verdict) => get('/v1/sessions' + query({ ...filters, verdict, view: 'row', limit: 1 }), { signal }))),
      query(filters));
  useFresh(again, 5000);
  return Object.fromEntries(data.map(({ total }, i) => [ENDED[i], total]));
}

export function History({ route }) {
  const { q, status, label } = route.query;
  const filters = { open: 'false', q, label };
  const list = useRows({ ...filters, verdict: status });
  return html`<h1 class="sr">History</h1><${Saved} />
  <${Listing} route=${route} list=${list} open="false" statuses=${ENDED} tallies=${useTallies(filters)}>
  <${Empty} title="Nothing has ended yet">Sessions move here when they end, and stay as long as <code>storage.retention</code> says. <code>headway scan --into ${location.origin}</code> adds what agents have stored.<//><//>`;
}
