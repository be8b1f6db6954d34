// SPDX-License-Identifier: Apache-2.0

// One key for all: pages, what can be done here, and sessions by goal, id, agent or label.
import { html, useEffect, useRef, useState } from './preact.js';
import { get, query } from './api.js';
import { Dialog, sessionLink, Status, useLoad } from './ui.js';
import { line } from './format.js';
import { go, offered } from './page.js';

const PAGES = [['Fleet', '#/'], ['Wall of pulses', '#/wall'], ['Costs', '#/costs'], ['Approvals', '#/approvals'], ['History', '#/history'], ['System', '#/system'], ['Connect an agent', '#/connect'],
    ['Log in or out', '#/login'], ['Documentation', '/docs'], ['API', '/docs/api'], ['Stuck or suspect', '#/?status=stuck,suspect']];
export function Palette({ close }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef();
  const { data } = useLoad((signal) => (text ? get('/v1/sessions' + query({ q: text, view: 'row', limit: 8 }), { signal })
      : Promise.resolve()), text);
  const has = ([name]) => name.toLowerCase().includes(text.toLowerCase());
  const items = [...(text ? [] : offered().filter(([name]) => !/^(Sort|Group) by /.test(name)).slice(0, 4)), ...PAGES.filter(has), ...(text ? offered().filter(has) : []),
      ...(data?.sessions || []).map((row) => [line(row.goal || row.id), sessionLink(row.id), row])];
  const here = Math.min(at, items.length - 1);
  const choose = (item) => { if (!item) return; close(); if (typeof item[1] === 'function') item[1](); else if (item[1][0] === '/') location.assign(item[1]); else go(item[1]); };
  const press = (event) => {
    const step = { ArrowDown: 1, ArrowUp: items.length - 1 }[event.key];
    if (step) setAt((here + step) % items.length);
    else if (event.key === 'Enter') choose(items[here]);
    else return;
    event.preventDefault();
  };
  useEffect(() => list.current.children[here]?.scrollIntoView({ block: 'nearest' }), [here]);
  return html`<${Dialog} title="Go to" close=${close}>
      <input autofocus placeholder="page, action, or session by goal or id" aria-label="Go to" role="combobox"
        aria-expanded="true" aria-controls="found" aria-activedescendant=${'found-' + here}
      value=${text} onInput=${(event) => { setText(event.target.value); setAt(0); }} onKeyDown=${press} />
    <ul id="found" role="listbox" aria-label="Found" ref=${list}>
      ${items.map((item, i) => html`<li key=${item[0] + item[1]} id=${'found-' + i} role="option" aria-selected=${String(i === here)}
        onClick=${() => choose(item)}><span dir="auto">${item[0]}</span>${item[2] && html`<code>${item[2].id}</code>`}${typeof item[1] === 'function' && html`<small>action</small>`}${item[2] && html`<${Status} status=${item[2].status} small />`}</li>`)}</ul>
    ${!items.length && html`<p class="muted">Nothing is called that.</p>`}<//>`;
}
