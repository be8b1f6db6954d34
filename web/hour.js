// SPDX-License-Identifier: Apache-2.0

// The last hour of the fleet: open sessions by verdict, minute by minute, stacked. A moment leaves the sessions whose verdict is as it was
// then. Minutes before the start of the daemon are not known, and stay without a ground.
import { html, useEffect, useState } from './preact.js';
import { tone, useFresh, useGet } from './ui.js';
import { minute as moment, ms } from './format.js';
import { setQuery } from './page.js';

const MINUTES = 60, MINUTE_MS = 60000, HIGH = 28;
const STACK = ['stuck', 'blocked', 'silent', 'suspect', 'slow', 'waiting', 'starting', 'exploring', 'progressing']; // from the ground up

const said = (counts) => STACK.filter((name) => counts[name]).map((name) => `${counts[name]} ${name}`).join(', ') || 'none open';

// Outlines by verdict, in a box of a unit a minute. Pure.
export function outlines(minutes) {
  const most = Math.max(1, ...minutes.map((counts) => Object.values(counts).reduce((sum, n) => sum + n, 0)));
  const paths = {};
  minutes.forEach((counts, i) => {
    let y = HIGH;
    for (const name of STACK) {
      if (!counts[name]) continue;
      const high = (counts[name] / most) * HIGH;
      paths[name] = `${paths[name] || ''}M${MINUTES - minutes.length + i} ${y.toFixed(2)}v-${high.toFixed(2)}h1v${high.toFixed(2)}z`;
      y -= high;
    }
  });
  return paths;
}

// `at`: the moment that filters, in milliseconds.
export function Hour({ at }) {
  const { data, again } = useGet('/v1/overview?minutes=' + MINUTES);
  const [near, point] = useState(null);
  useFresh(again, MINUTE_MS);
  useEffect(() => {
    const timer = setInterval(() => { if (!document.hidden) again(); }, MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  const { until, minutes = [] } = data?.past || {};
  if (!minutes.some((counts) => Object.keys(counts).length)) return null;
  const first = MINUTES - minutes.length;
  const when = (i) => ms(until) - (MINUTES - 1 - i) * MINUTE_MS;
  const chosen = Math.min(MINUTES - 1, MINUTES - 1 - Math.round((ms(until) - at) / MINUTE_MS));
  const shown = near ?? (at && chosen >= 0 ? chosen : MINUTES - 1);
  const words = `${moment(when(shown))}: ${shown < first ? 'not known' : said(minutes[shown - first])}`;
  const choose = (i) => setQuery({ at: i === null ? '' : new Date(when(Math.max(first, Math.min(MINUTES - 1, i)))).toISOString().slice(0, 16) + 'Z' });
  const under = ({ clientX, currentTarget }) => { const { left, width } = currentTarget.getBoundingClientRect(); return Math.floor(((clientX - left) / width) * (MINUTES - 0.001)); };
  const press = (event) => {
    const next = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: first, End: MINUTES - 1, Enter: shown, Escape: at ? null : undefined }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // the list below has the same keys
    choose(next);
  };
  return html`<div class="hour"><svg viewBox=${`0 0 ${MINUTES} ${HIGH}`} preserveAspectRatio="none" role="slider" tabindex="0" aria-label="The last hour; a moment filters"
      aria-valuemin=${first} aria-valuemax=${MINUTES - 1} aria-valuenow=${shown} aria-valuetext=${words} onKeyDown=${press}
      onPointerMove=${(event) => point(under(event))} onPointerLeave=${() => point(null)} onClick=${(event) => choose(under(event))}>
      <rect class="ground" x=${first} width=${minutes.length} height=${HIGH} />${Object.entries(outlines(minutes)).map(([name, d]) => html`<path key=${name} class=${tone(name)} d=${d} />`)}
      ${(at || near !== null) && html`<path class="near" d=${`M${shown + 0.5} 0V${HIGH}`} />`}</svg>
    <p class="muted">${words}<span>${at ? `shown: unchanged since ${moment(at)}` : first > 0 ? `since ${moment(when(first) - MINUTE_MS)}` : 'the last hour'}</span></p></div>`;
}
