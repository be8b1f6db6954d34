// SPDX-License-Identifier: Apache-2.0

// The digest of the last 12 hours: what waits for a person, what ended, what came to nothing; each session by its goal.
import { html } from './preact.js';
import { Ago, ListCard, Unread, useGet } from './ui.js';
import { cost, line } from './format.js';
import { said, where } from './needs.js';

const PATH = '/v1/digest?since=12h';

export function Digest() {
  const { data, error, again } = useGet(PATH);
  if (!data) return html`<${Unread} error=${error} again=${again} />`;
  const { needs_you: needs, ended, loops, resumed, waiting, used } = data;
  const goals = new Map([...needs, ...ended].map(({ session, goal }) => [session, goal]));
  const parts = [['Waits for you', needs, (one) => `${one.risk === 'critical' ? 'critical ' : ''}${one.kind}: ${said(one)}`], ['Ended', ended, (one) => [one.outcome.replace(/_/g, ' '), one.reason, cost(one)].filter(Boolean).join(' · ')],
    ['Loops', loops], ['Resumed', resumed], ['Waiting', waiting]];
  return html`<div class="head"><h1>Last 12 hours</h1><span class="muted">${cost(used)}</span></div>
    ${parts.map(([title, items, words = said]) => html`<${ListCard} key=${title} title=${title} items=${items} line=${(one) => html`<a href=${where(one)}
      dir="auto">${line(goals.get(one.session) || one.session)}</a><span dir="auto">${line(words(one))}</span><small><${Ago} at=${one.since || one.at} /></small>`} />`)}`;
}
