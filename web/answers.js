// SPDX-License-Identifier: Apache-2.0

// Result of a person's last decision or message: the event, the agent's actions since, and the way to take it back.
import { html, useEffect, useState } from './preact.js';
import { get, query } from './api.js';
import { Ago, sessionLink } from './ui.js';
import { line, ms } from './format.js';

const SHOWN_MS = 45000, ASK_MS = 2000, MAX = 3;
let answers = [], draw = () => {}, next = 0;

// {text, session, approval, undo: [label, action]}
export function answer(one) {
  answers = [{ ...one, key: next++, at: Date.now() }, ...answers].slice(0, MAX);
  draw();
}
const drop = (key) => { answers = answers.filter((one) => one.key !== key); draw(); };

// Adds to each result about one session the actions of its agent since.
async function since(one) {
  if (!one.session) return;
  const [rows, approval] = await Promise.all([get('/v1/sessions' + query({ view: 'row', ids: one.session })),
    one.approval && get('/v1/approvals/' + encodeURIComponent(one.approval))]);
  const row = rows.sessions[0], { at } = one;
  one.since = !row ? 'its session is gone' : row.ended_at ? `it has ended: ${row.outcome}`
    : row.last_action && ms(row.last_action.at) > at ? ['it has gone on: ', line(row.last_action.text)]
    : ms(row.last_beat_at) > at ? ['the agent has beaten ', html`<${Ago} at=${row.last_beat_at} /> ago`] : 'the agent has not been here since';
  if (approval?.redeemed_at) one.since = ['the call has run ', html`<${Ago} at=${approval.redeemed_at} /> ago`];
}

export function Answers() {
  const [, set] = useState(0);
  useEffect(() => {
    draw = () => set((n) => n + 1);
    const timer = setInterval(async () => {
      if (document.hidden || !answers.length) return;
      answers = answers.filter((one) => one.at + SHOWN_MS > Date.now());
      await Promise.all(answers.map((one) => since(one).catch(() => {}))); // the next time, then
      draw();
    }, ASK_MS);
    return () => clearInterval(timer);
  }, []);
  return html`<section class="answers" aria-label="Answers" role="status">${answers.map((one) => html`<p key=${one.key}>
    <span><b>${one.text}</b> <${Ago} at=${one.at} />${one.since && html` · <span class="muted">${one.since}</span>`}</span>
    ${one.session && html`<a href=${sessionLink(one.session)}>Look</a>`}
    ${one.undo && html`<button onClick=${() => { one.undo[1](); drop(one.key); }}>${one.undo[0]}</button>`}
    <button class="quiet" aria-label="Dismiss" onClick=${() => drop(one.key)}>×</button></p>`)}</section>`;
}
