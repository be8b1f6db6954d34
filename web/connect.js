// SPDX-License-Identifier: Apache-2.0

// How each agent is connected, and whether its hooks arrive.
import { html } from './preact.js';
import { Ago, Card, cls, Plain, Trouble, useFresh, useGet } from './ui.js';
import { plural } from './format.js';

// As in `headway install` and docs/agents: name, title, what its hooks go by.
const AGENTS = [['claude', 'Claude Code', 'HTTP hooks'], ['codex', 'Codex', 'a command'], ['gemini', 'Gemini CLI', 'a command'],
  ['qwen', 'Qwen Code', 'HTTP hooks'], ['copilot', 'Copilot CLI', 'a command'], ['cline', 'Cline', 'scripts'],
  ['opencode', 'opencode', 'a plugin'], ['kilo', 'Kilo', 'a plugin'], ['pi', 'pi', 'an extension']];

// State of hooks in the newest sessions: which agents send them, when the last one came, and how many of the open ones are not well.
function seenBy(sessions = []) {
  const seen = {};
  for (const { adapter, ended_at: ended } of sessions) {
    if (!adapter) continue;
    const one = seen[adapter.name] ??= { open: 0, broken: 0, last: '' };
    if (adapter.last_hook_at > one.last) one.last = adapter.last_hook_at;
    if (ended) continue;
    one.open++;
    if (adapter.channel !== 'ok') one.broken++;
  }
  return seen;
}

const Seen = ({ of }) => (of ? html`<span class=${cls(of.broken && 'bad')}>${plural(of.open, 'open session')}${of.broken > 0
  && html`, ${of.broken} without all of its hooks`}</span><small> · newest hook <${Ago} at=${of.last} /></small>`
  : html`<span class="faint">no hook yet</span>`);

export function Connect() {
  const { data, error, again } = useGet('/v1/sessions?view=row&limit=200');
  useFresh(again, 1000);
  const seen = seenBy(data?.sessions);
  return html`<div class="head"><h1>Connect an agent</h1></div><${Trouble} error=${error} again=${again} />
    <div><${Card} title="By its own hooks" note="no change to the agent">
      <p><code>headway install</code> finds the agents on this machine, shows what it would add to their settings, and asks.
        Then start the agent as always: its first prompt opens a session here. <code>headway doctor AGENT</code> tries each step
        between them, <code>headway uninstall</code> takes it all out again.</p>
      <div class="table"><${Plain} names=${['Agent', 'Command', 'Goes by', 'Seen']}><tbody>${AGENTS.map(([name, title, by]) => html`<tr key=${name}>
        <td><a href=${'/docs/agent-' + name}>${title}</a></td><td><code>headway install ${name}</code></td><td>${by}</td>
        <td><${Seen} of=${seen[name]} /></td></tr>`)}</tbody><//></div><//>
    <${Card} title="Any other command"><p><code>headway run -- CMD</code> supervises it by its process and its output,
      and reads what agents print as JSON lines. <code>headway acp -- CMD</code> stands between an editor and its agent.</p>
      <p><a href="/docs/agent-mcp">MCP</a> lets an agent ask a person, <a href="/docs/agent-otlp">telemetry</a> adds tokens
      and cost.</p><//>
    <${Card} title="Your own agent"><p>One request opens a session and reports to it:</p>
      <pre class="json" tabindex="0" role="group" aria-label="Example">curl ${location.origin}/v1/sessions/my-agent/events -H 'Content-Type: application/json' \\
  -d '${'{"type":"tool.started","data":{"call_id":"1","tool":"bash","args":{"command":"make"}}}'}'</pre>
      <p>The reply has the directives. <a href="/docs/getting-started">Getting started</a> has the rest,${' '}
        <a href="/docs/api">the API</a> all of it.</p><//></div>`;
}
