// SPDX-License-Identifier: Apache-2.0

// Grants: approvals that reach further than one request. How one is made, which a session has, how one ends.
import { html, useState } from './preact.js';
import { get, query } from './api.js';
import { Ago, ListCard, REASON, Sending, sessionLink, useLoad, written } from './ui.js';
import { ms } from './format.js';
import { refusal, useMe } from './page.js';

export const risky = (item) => /high|critical/.test(item.risk);
// The word that a person types to approve a critical request: the name of its tool, where a keyboard has its characters.
export const wordOf = (item) => item.risk === 'critical' && (/^[!-~]{1,64}$/.test(item.tool || '') ? item.tool : 'approve');
export const approvalPath = (item, what) => `/v1/approvals/${encodeURIComponent(item.id)}/${what}`;

const LASTING = [['', 'until the session ends'], [15, 'for 15 minutes'], [60, 'for 1 hour'], [480, 'for 8 hours']];

export function Granting({ item, all, ...rest }) {
  const matches = [['', 'with exactly these arguments'], ['tool', 'with any arguments']];
  const body = ({ minutes, match, reason }) => ({
    decision: 'approve', scope: minutes ? 'until' : 'session',
    ...(minutes && { until: new Date(Date.now() + minutes * 60000).toISOString() }),
    ...(match && { match }), ...(reason && { reason }), ...(all && { apply_to_identical: true }), channel: 'dashboard',
  });
  const sure = ({ match }) => (match ? `Yes, approve any call of ${item.tool}`
    : risky(item) && `Yes, approve ${item.risk} risk from now on`);
  return html`<${Sending} title="Approve from now on" path=${approvalPath(item, 'decision')} body=${body} sure=${sure} word=${wordOf(item)} ...${rest}
    what="This request and each like it, later too, without asking you again. It can be revoked on the session’s page."
    fields=${[['minutes', 'How long', LASTING], ['match', `Which calls of ${item.tool}`, matches],
      ['reason', 'Reason, for the record']]} />`;
}

export function Revoke({ item, done }) {
  const [open, set] = useState(false);
  const no = refusal(useMe(), 'approve');
  return html`<button class="danger" disabled=${!!no} title=${no || 'Sends POST ' + approvalPath(item, 'revoke')}
      onClick=${() => set(true)}>Revoke…</button>
    ${open && html`<${Sending} title="Revoke a grant" path=${approvalPath(item, 'revoke')} close=${() => set(false)} done=${done}
      what="The next such call waits for a person again. Earlier calls stay approved."
      fields=${[REASON]} body=${({ reason }) => (reason ? { reason } : {})} />`}`;
}

// Those in force, of all that was decided in the session.
async function granted(session, signal) {
  const found = [];
  for (let cursor; cursor !== null;) {
    const reply = await get('/v1/approvals' + query({ session, status: 'resolved', limit: 100, cursor }), { signal, exact: true });
    found.push(...reply.approvals.filter((item) => item.granted));
    cursor = reply.next;
  }
  return found;
}

// True for events that make or end a grant. They are few, also where an agent asks at every call.
const changes = ({ type, data }) => type === 'approval.revoked' || (type === 'approval.decided' && /^(session|until)$/.test(data.scope));

export function Grants({ id, journal }) {
  const newest = journal.sorted.find(changes)?.n;
  const { data, again } = useLoad((signal) => granted(id, signal), id + newest);
  const items = data?.filter(({ decision }) => !decision.until || ms(decision.until) > Date.now());
  return html`<${ListCard} title="Grants" note="approved from now on" items=${items}
      line=${(item) => html`<b>${item.tool || item.kind}</b>
    <code>${item.decision.match === 'tool' ? 'any arguments' : written(item.args ?? {})}</code>
    <span class="muted">${item.decision.until ? html`<${Ago} at=${item.decision.until} until /> left` : 'until the session ends'} ·${' '}
      <a class="at" href=${sessionLink(id, item.n)}>#${item.n}</a> by ${item.decision.by}</span><${Revoke} item=${item} done=${again} />`} />`;
}
