// SPDX-License-Identifier: Apache-2.0

// The digest of the last 12 hours: what waits for a person, what ended, what came to nothing; each session by its goal.
import { html } from './preact.js';
import { Ago, ListCard, Unread, useGet } from './ui.js';
import { cost, line, plural } from './format.js';
import { nameOf, said, where } from './needs.js';

const PATH = '/v1/digest?since=12h';
const DECIDED = { approved: 'approved', rejected: 'rejected', answered: 'answered', expired_approved: 'approved because it expired', expired_rejected: 'rejected because it expired' };
const row = (...words) => words.filter(Boolean).join(' · ');
const plain = (name) => name.replace(/_/g, ' ');
const completed = ({ outcome }) => outcome === 'completed';

// [title, items, words of an item], what needs a person first
function partsOf({ needs_you: needs, ended, decided, resumed, waiting, loops }) {
  const ends = ended.filter((one) => !(completed(one) && one.parent)).sort((a, b) => completed(a) - completed(b));
  const parts = ended.length - ends.length;
  return [['Waits for you', needs, (one) => `${nameOf({ items: [one], kinds: new Set([one.kind]) })}: ${said(one)}`],
    ['Ended', ends, (one) => row(plain(one.outcome), one.reason, cost(one)), parts > 0 && `${ends.length}, and ${plural(parts, 'sub-agent')} completed`],
    ['Decided', decided, (one) => Object.keys(DECIDED).filter((name) => one[name] > 0).map((name) => `${one[name]} ${DECIDED[name]}`).join(' · ')],
    ['Loops', loops, (one) => row(plain(one.over ?? 'still stuck'), cost(one), one.reason)], ['Resumed', resumed],
    ['Waiting', waiting, (one) => (one.phase.startsWith('waiting until') ? one.phase : one.reason)]];
}

export function Digest() {
  const { data, error, again } = useGet(PATH);
  if (!data) return html`<${Unread} error=${error} again=${again} />`;
  return html`<div class="head"><h1>Last 12 hours</h1><span class="muted">${cost(data.used)}</span></div>
    ${partsOf(data).map(([title, items, words = said, note]) => html`<${ListCard} key=${title} title=${title} items=${items} note=${note || undefined}
      line=${(one) => html`<a href=${where(one)} dir="auto">${line(one.goal || one.session)}</a><span dir="auto">${line(words(one))}</span><small><${Ago}
        at=${one.since || one.at} /></small>`} />`)}`;
}
