// SPDX-License-Identifier: Apache-2.0

// Approvals: the exact bytes that will run, and the decision about them.
import { html, useEffect, useLayoutEffect, useRef, useState } from './preact.js';
import { Exact, get, post, query, sessionPath } from './api.js';
import { Ago, cls, Confirm, Empty, Plain, Icon, Json, Loading, Marked, sessionLink, Trouble, Unread, useFresh, useGet, useLoad, written } from './ui.js';
import { change, commandOf, Diff, diff, Shell } from './call.js';
import { answer } from './answers.js';
import { urgency } from './rank.js';
import { action, date, plural, reveal, text, unmark } from './format.js';
import { approvalPath, Granting, Revoke, risky, wordOf } from './grants.js';
import { refusal, tell, useKeys, useMe } from './page.js';

// Requests that wait, all or of one session; read again when one was made or decided anywhere.
export function usePending(session) {
  const list = useGet('/v1/approvals' + query({ limit: 100, session }), true);
  const risks = useGet('/v1/approvals' + query({ limit: 100, session, risk: 'high' }), true);
  useFresh(() => { list.again(); risks.again(); }, 300);
  // The most dangerous first, then the oldest, as the daemon lists them.
  const all = [...(risks.data?.approvals || []), ...(list.data?.approvals || [])];
  const order = ({ kind, risk }) => urgency(kind === 'question' ? { kind } : { kind: 'approval', risk });
  const items = [...new Map(all.map((item) => [item.id, item])).values()].sort((a, b) => order(a) - order(b));
  return { ...list, items, spot: useRef({ replaced: 0, shifted: 0, from: 0, modes: {} }).current };
}

function useFocus() {
  const ref = useRef();
  useLayoutEffect(() => ref.current.focus(), []);
  return ref;
}
const leave = (close) => (event) => { if (event.key === 'Escape') { event.stopPropagation(); close(); } };

const every = (item, all) => (all ? ` all ${item.identical}` : '');

function Editor({ item, all, send, close }) {
  const field = useFocus();
  const original = written(item.args ?? {});
  const [value, set] = useState(original);
  let problem = '';
  try { JSON.parse(value); } catch (error) { problem = error.message; }
  const [asked, ask] = useState(false);
  const ready = !problem && value !== original, question = `Yes, approve${every(item, all)} ${item.risk} risk as edited`;
  const edit = () => send({ decision: 'edit' }, value);
  const submit = (event) => {
    event.preventDefault();
    if (!ready || asked) return;
    if (risky(item)) ask(true);
    else edit();
  };
  return html`<form onSubmit=${submit} onKeyDown=${leave(close)}>
      <label class="field">Arguments, all of them<textarea ref=${field} spellcheck="false"
        rows=${Math.min(18, value.split('\n').length + 1)}
      value=${value} onInput=${(event) => { ask(false); set(event.target.value); }} aria-invalid=${String(!!problem)}
      onKeyDown=${(event) => event.key === 'Enter' && event.ctrlKey && submit(event)} /></label>
    ${problem ? html`<p class="bad" role="status">Not JSON yet: ${problem}</p>`
      : value !== original && html`<${Diff} lines=${diff(original, value)} label="Your changes" />`}
    ${asked ? html`<${Confirm} key=${question} question=${question} word=${wordOf(item)} send=${edit}
        close=${() => ask(false)} />`
      : html`<p class="line end"><button type="button" onClick=${close}>Back</button>
        <button class=${approving(item)} disabled=${!ready}>Approve${every(item, all)} as edited <kbd>ctrl enter</kbd></button></p>`}</form>`;
}
function Asking({ label, verb, kind, send, close }) {
  const field = useFocus();
  return html`<form class="line" onKeyDown=${leave(close)} onSubmit=${(event) => { event.preventDefault(); send(field.current.value); }}>
      <input ref=${field} aria-label=${label} placeholder=${label} />
    <button type="button" onClick=${close}>Back</button><button class=${kind}>${verb}</button></form>`;
}

// A risky request has no bright button but the one that confirms.
const approving = (item) => (risky(item) ? 'outline' : 'primary');

const EXPIRY = {
  hold: 'then it stays, overdue', reject: 'then it is denied', approve: 'then it is approved', escalate: 'then it is escalated',
};
const SOURCE = { agent: 'the agent', call: 'its call', policy: 'the policy', headway: 'Headway', dialog: 'its own dialog' };

function Buttons({ item, no: refused, settling, setMode, send, press, all, toggle }) {
  const no = refused || (settling && 'This request has just come to this place');
  const button = (key, label, kind, title, action, more) => html`<button key=${key} class=${kind} disabled=${!!no} title=${no || title}
      onClick=${action} ...${more}>${label} <kbd>${key}</kbd></button>`;
  const sends = (decision) => `Sends {"decision":"${decision}"${all ? ',"apply_to_identical":true' : ''}}`;
  const question = item.kind === 'question', tool = item.kind === 'tool', them = every(item, all);
  return html`<p class="line end">
    ${(refused || all) && html`<small class="muted">${refused || sends(question ? 'respond' : 'approve') + ', or what you choose'}</small>`}
    ${item.identical > 1 && button('i', `All ${item.identical} identical`, 'pill', 'One decision for all of them, whichever session asks',
      toggle, { 'aria-pressed': String(all) })}
    ${button('d', `Deny${them}…`, risky(item) ? 'default' : 'danger', sends('reject'), () => setMode('deny'))}
    ${tool && button('e', `Edit${them}…`, '', 'Change the arguments, then approve', () => setMode('edit'))}
    ${tool && button('s', 'From now on…', '', 'Approve this and its like, for the session or for a time', () => setMode('grant'))}
    ${question && (item.options || []).map((option) => html`<button key=${'option ' + option} disabled=${!!no}
      title=${sends('respond')} onClick=${() => send({ decision: 'respond', response: option })}>${reveal(option)}</button>`)}
    ${question ? button('a', `Answer${them}…`, 'primary', sends('respond'), press)
      : button('a', 'Approve' + them, approving(item), sends('approve'), press)}</p>`;
}

function Head({ item }) {
  return html`<header><${Icon} name=${item.kind === 'question' ? 'question' : 'approval'} />
      <h2>${reveal(item.tool || item.kind.replace('_', ' '))}</h2>
      ${(item.kind !== 'question' || item.risk !== 'unknown') && html`<span class=${cls('chip', 'risk-' + item.risk)}>${item.risk === 'unknown' ? 'risk unknown' : item.risk + ' risk'}</span>`}
    ${item.escalated && html`<span class="chip">escalated</span>`}
    <span class="muted">asked <${Ago} at=${item.requested_at} /> ago by ${SOURCE[item.source] || item.source}
      ${item.expires_at && html` · ${item.overdue ? html`<b class="bad">overdue</b>`
        : html`<${Ago} at=${item.expires_at} until /> left, ${item.source === 'dialog' ? 'then its dialog decides' : EXPIRY[item.on_expiry]}`}`}</span></header>`;
}

// Context of the open request: its purpose, and the actions of its agent before it.
function Context({ item }) {
  const { data } = useLoad((signal) => Promise.all([get('/v1/sessions' + query({ view: 'row', ids: item.session }), { signal }),
    get(sessionPath(item.session, '/events') + query({ types: 'tool.finished', order: 'newest', limit: 5, before: item.n }), { signal })]), item.id);
  const row = data?.[0].sessions[0], steps = data?.[1].events || [];
  return html`<aside class="context"><h3>Goal</h3><p dir="auto">${(row?.goal && reveal(row.goal)) || html`<span class="muted">not said</span>`}</p>
    <h3>Before it</h3>${steps.length ? html`<ol>${steps.map(({ n, data: d }) => html`<li key=${n} class=${d.ok === false && 'bad'}><code>${reveal(action(d))}</code></li>`)}</ol>`
      : html`<p class="muted">${data ? 'no call yet' : '…'}</p>`}</aside>`;
}

function Approval({ item, here, mode, setMode, send, done, error, choose, ...buttons }) {
  const ref = useRef();
  useEffect(() => { if (here) ref.current.scrollIntoView({ block: 'nearest' }); }, [here]);
  const close = () => setMode('');
  const { args } = item, changes = change(args), them = every(item, buttons.all), question = `Yes, approve${them} ${item.risk} risk`;
  const asked = args && (typeof args !== 'object' || args instanceof Exact || Object.keys(args).length || item.kind === 'tool');
  return html`<article ref=${ref} class=${cls('card approval', here && 'here')} aria-label=${'Approval ' + item.id} data-id=${item.id}
      onClick=${choose}><${Head} item=${item} />
    <p><a class="at" href=${sessionLink(item.session, item.n)}>${item.session}</a></p>${here && html`<${Context} item=${item} />`}
      ${item.summary && html`<p class="words"><${Marked} text=${text(item.summary)} /></p>`}
    ${changes && html`<${Diff} lines=${changes} label="Changes" />`}
    ${mode !== 'edit' && commandOf(args) && html`<${Shell} command=${commandOf(args)} />`}
    ${mode !== 'edit' && asked && html`<${Json} value=${args} label="Exact arguments" />`}
    ${item.extend && html`<${Json} value=${item.extend} label="Asked for" />`}
    ${item.hidden_bytes > 0 && html`<p class="bad hidden" role="note"><b>${plural(Number(item.hidden_bytes), 'byte')} hidden.</b> They looked
      like a secret and were cut out: you do not see them, and you approve them with the rest.</p>`}
    <p class="digest muted" title="what is approved has this digest, and nothing else has">${item.args_digest}</p>
      <${Trouble} error=${error} />
    ${mode === 'edit' ? html`<${Editor} item=${item} all=${buttons.all} send=${send} close=${close} />`
      : mode === 'deny' ? html`<${Asking} label="Reason, for the agent" verb=${'Deny' + them} kind="danger" close=${close}
          send=${(reason) => send({ decision: 'reject', ...(reason && { reason }) })} />`
      : mode === 'answer' ? html`<${Asking} label="Answer" verb=${buttons.all ? 'Answer' + them : 'Send'} kind="primary" close=${close}
          send=${(response) => send({ decision: 'respond', response })} />`
      : mode === 'sure' ? html`<${Confirm} key=${question} question=${question} word=${wordOf(item)} keyed=${here} send=${() => send({ decision: 'approve' })} close=${close} />`
      : html`<${Buttons} ...${{ item, setMode, send, ...buttons }} />`}
    ${mode === 'grant' && html`<${Granting} item=${item} all=${buttons.all} close=${close} done=${done} />`}</article>`;
}

// Keys and clicks are aimed at what the screen showed before. So no key acts on a request that took the place of another less than this
// long ago, and no click on one that came to its place since then.
const SETTLE_MS = 600;
const settling = (since) => Date.now() < since + SETTLE_MS;

// Notes in `spot` from which place on the list has other requests than before; draws again when they have settled.
function useShifts(spot, items) {
  const [, draw] = useState(0);
  const order = items.map(({ id }) => id).join('\n');
  useLayoutEffect(() => {
    const was = spot.order, now = items.map(({ id }) => id);
    spot.order = now;
    const from = was ? now.findIndex((id, i) => id !== was[i]) : -1;
    if (from >= 0) {
      spot.from = settling(spot.shifted) ? Math.min(spot.from, from) : from;
      spot.shifted = Date.now();
      draw((n) => n + 1);
    } else if (!settling(spot.shifted)) return undefined;
    const timer = setTimeout(() => draw((n) => n + 1), SETTLE_MS + 20);
    return () => clearTimeout(timer);
  }, [order]);
}

export function ApprovalList({ list, first }) {
  const no = refusal(useMe(), 'approve');
  const [here, setHere] = useState(first);
  const [modes, setModes] = useState({});
  const [errors, setErrors] = useState({});
  const [together, setTogether] = useState({});
  useEffect(() => { if (first) setHere(first); }, [first]);
  // In `spot`, which outlives an empty list: the last chosen request that was there; what is open in each; what is being sent.
  const { items, spot } = list;
  useShifts(spot, items);
  const at = Math.max(0, items.findIndex((item) => item.id === here));
  // Keys that are typed before a field is drawn must not be taken for a decision, so the mode counts at once.
  const mode = (id, value) => { spot.modes[id] = value; setHere(id); setModes({ ...spot.modes }); };
  const all = (item) => item?.identical > 1 && !!together[item.id];
  const done = (item, also = []) => {
    spot.replaced = Date.now();
    tell({ look: true });
    setHere([...items.slice(at + 1), ...items.slice(0, at).reverse()].find(({ id }) => id !== item.id && !also.includes(id))?.id);
    list.again();
  };
  // Edited arguments go as the text that was typed: 1.0 stays 1.0.
  const send = async (item, decision, edited) => {
    if (spot.busy) return;
    spot.busy = true;
    let error = null, reply;
    try {
      const body = JSON.stringify({ ...decision, ...(all(item) && { apply_to_identical: true }), channel: 'dashboard' });
      reply = await post(approvalPath(item, 'decision'), edited ? `${body.slice(0, -1)},"edited_args":${edited}}` : body);
    } catch (problem) {
      error = problem;
      const won = error.winner?.decision;
      if (won) error.message = `Decided already: ${won.decision} by ${won.by || 'another person'}, ${date(won.at)}.`;
    }
    spot.busy = false;
    spot.replaced = Date.now();
    setErrors((old) => ({ ...old, [item.id]: error }));
    // Typed words are kept for another try, where one may help.
    if (!error || error.winner || spot.modes[item.id] === 'sure') mode(item.id, '');
    if (error) list.again();
    else {
      const words = { approve: 'Approved', edit: 'Approved as edited:', reject: 'Denied', respond: 'Answered' }[decision.decision];
      answer({ text: `${words} ${reveal(item.tool || item.kind)}${reply.also?.length ? ` and ${reply.also.length} identical` : ''}`, session: item.session, approval: item.id });
      done(item, reply.also);
    }
  };
  const press = (item, kind) => {
    if (!item || no || settling(spot.replaced) || spot.modes[item.id] || (/edit|grant/.test(kind) && item.kind !== 'tool')) return;
    if (kind) mode(item.id, kind);
    else if (item.kind === 'question') mode(item.id, 'answer');
    else if (risky(item)) mode(item.id, 'sure');
    else send(item, { decision: 'approve' });
  };
  const toggle = (item) => { // what was to be confirmed was something else
    if (!(item?.identical > 1) || no) return;
    setTogether({ ...together, [item.id]: !together[item.id] });
    if (spot.modes[item.id] === 'sure') mode(item.id, '');
  };
  const move = (step) => setHere((items[at + step] || items[at])?.id);
  const chosen = items[at];
  // A newcomer that sorts first takes no key. Where the chosen one has gone, a key that is on its way decides nothing; where a person
  // typed into it, none does until it is seen.
  useLayoutEffect(() => {
    const gone = spot.held && !items.some(({ id }) => id === spot.held);
    const missed = here && here !== chosen?.id && spot.missed !== here; // of a link: it may come yet
    if (gone || missed) spot.replaced = Date.now();
    if (gone) spot.typing ||= !!spot.modes[spot.held] && !spot.busy;
    if (missed) spot.missed = here;
    spot.held = chosen?.id;
    if (chosen && (!here || (gone && here !== chosen.id))) setHere(chosen.id);
  });
  const look = (id) => { spot.typing = false; setHere(id); setErrors({ ...errors }); };
  const key = (kind) => () => { if (!spot.typing) press(chosen, kind); };
  useKeys({
    j: () => move(1), k: () => move(-1), a: key(), d: key('deny'), e: key('edit'), s: key('grant'),
    i: () => toggle(chosen), Escape: () => (spot.typing ? look(here) : modes[chosen?.id] ? mode(chosen.id, '') : false),
  });
  const over = spot.typing && html`<p class="line" role="status">The request that you had open was decided elsewhere. Keys act again
      after${' '}<button onClick=${() => look(here)}>Go on <kbd>esc</kbd></button></p>`;
  return html`${over}<div class="inbox">${items.map((item, i) => html`<${Approval} key=${item.id} item=${item} here=${i === at} no=${no}
    settling=${i >= spot.from && settling(spot.shifted)} error=${errors[item.id]} mode=${modes[item.id]}
      setMode=${(value) => mode(item.id, value)} all=${all(item)} toggle=${() => toggle(item)}
    send=${(decision, edited) => send(item, decision, edited)} done=${(reply) => done(item, reply.also)} press=${() => press(item)}
    choose=${() => look(item.id)} />`)}</div>`;
}

const TONE = { rejected: 's-failed', expired: 's-silent', never_executed: 's-silent', ignored: 's-silent', cancelled: 's-silent' };
function Decided() {
  const { data, error, again } = useGet('/v1/approvals' + query({ status: 'resolved' }));
  useFresh(again, 1000);
  if (!data) return html`<${Unread} error=${error} again=${again} />`;
  if (!data.approvals.length) {
    return html`<${Empty} title="Nothing was decided yet">Decisions stay here for as long as their sessions are kept.<//>`;
  }
  return html`<div class="table"><${Plain} names=${['Decision', 'What', 'Session', 'By', 'When']}><tbody>${data.approvals.map((a) => html`<tr key=${a.id}>
      <td><span class=${cls('status', TONE[a.status] || 's-completed')}>${(a.closed || a.status).replace(/_/g, ' ').replace('rejected', 'denied')}</span>
        ${a.alarm && html` <b class="bad">${a.alarm.replace(/_/g, ' ')}</b>`}</td>
      <td><b>${reveal(a.tool || a.kind)}</b> <span class="muted">${reveal(unmark(text(a.summary)))}</span>
        ${a.granted && html`<p class="line"><span class="chip">from now on</span><${Revoke} item=${a} done=${again} /></p>`}</td>
      <td><a href=${sessionLink(a.session, a.n)}>${a.session}</a></td>
      <td>${reveal(a.decision?.by || '')} <span class="muted">${reveal(text(a.decision?.reason))}</span></td>
      <td><${Ago} at=${a.decision?.at} /></td></tr>`)}</tbody><//></div>`;
}

// The inbox of all sessions: what waits, oldest first, and what was decided.
export function Approvals({ route }) {
  const list = usePending();
  const decided = route.query.show, { id } = route.query;
  // A link of a notification may be older than the decision.
  const over = id && list.data && !list.data.next && !list.items.some((item) => item.id === id);
  return html`<div class="head"><h1>Approvals</h1><nav class="tabs" aria-label="Approvals">
      <a href="#/approvals" aria-current=${decided ? null : 'true'}>Waiting <b>${list.data?.pending}</b></a>
      <a href="#/approvals?show=decided" aria-current=${decided ? 'true' : null}>Decided</a></nav></div>
    <${Trouble} error=${list.error} again=${list.again} />
    ${over && !decided && html`<p class="muted">The request ${id} waits no longer; <a href="#/approvals?show=decided">Decided</a>
      ${' '}has what became of it.</p>`}
    ${decided ? html`<${Decided} />` : !list.data ? !list.error && html`<${Loading} />`
      : list.items.length ? html`<${ApprovalList} list=${list} first=${route.query.id} />
          ${list.data.next && html`<p class="muted">More come as these are decided.</p>`}`
      : html`<${Empty} title="Nothing waits for you">When an agent asks before it acts, the exact arguments show up here. <a href="/docs/approvals">How an agent asks</a><//>`}`;
}
