// SPDX-License-Identifier: Apache-2.0

// An agent written against types that were made of openapi.json: opens a session, reports every type of event, asks, is decided by a
// person's token, and waits. Compiled in strict mode and run against a daemon by tests/integration/test_openapi_tools.py.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type Schemas = components['schemas'];
type Report = Schemas['ReportEvent'];
type Reported = { [K in Report['type']]: Extract<Report, { type: K }> };

const [url, operator] = process.argv.slice(2) as [string, string];
const agent = createClient<paths>({ baseUrl: url });
const person = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${operator}` } });
const session = { params: { path: { id: 'typed-agent' } } };

function good<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

// One of each, in an order that makes sense: a type that is missing here does not compile.
const events: Reported = {
  heartbeat: { type: 'heartbeat', data: { phase: 'execution', iteration: 3, in_flight: { call_id: 'c1', counter: 7 } } },
  'phase.started': { type: 'phase.started', data: { name: 'build', number: 1, total: 2 } },
  'plan.updated': { type: 'plan.updated', data: { text: 'build, then test' } },
  message: { type: 'message', event_id: 'm-1', data: { role: 'assistant', text: 'I build it.' } },
  'tool.started': { type: 'tool.started', data: { call_id: 'c1', tool: 'bash', args: { command: 'make' } } },
  'tool.finished': {
    type: 'tool.finished',
    data: { call_id: 'c1', tool: 'bash', args: { command: 'make' }, ok: false, error: { class: 'exit', message: 'no rule' } },
  },
  'error.reported': { type: 'error.reported', data: { class: 'timeout', message: 'the tool took too long' } },
  reflection: { type: 'reflection', data: { assessment: 'on_track', confidence: 0.8 } },
  'test.result': { type: 'test.result', data: { passed: 41, failed: 1, failures: ['test_a'] } },
  'progress.estimated': { type: 'progress.estimated', data: { percent: 40, next_milestone: 'green tests' } },
  'fact.learned': { type: 'fact.learned', data: { text: 'the port is 7717' } },
  'state.changed': { type: 'state.changed', data: { state: 'progress_check' } },
  compacted: { type: 'compacted', data: {} },
  'phase.completed': { type: 'phase.completed', data: { number: 1, ok: true } },
  'approval.requested': { type: 'approval.requested', data: { tool: 'deploy', args: { to: 'staging' }, summary: 'Deploy it?' } },
  'directive.acknowledged': { type: 'directive.acknowledged', data: { id: 'd0' } },
  'directive.delivered': { type: 'directive.delivered', data: { id: 'd0' } },
  'session.ended': { type: 'session.ended', data: { outcome: 'completed', reason: 'all done' } },
};

/** The journal's text for an event, by its type: a type that is missing here does not compile either. */
function told(event: Schemas['Event']): string {
  switch (event.type) {
    case 'verdict.changed': return `${event.data.from} -> ${event.data.to}`;
    case 'tool.finished': return event.data.tool;
    case 'approval.decided': return event.data.id ?? '';
    default: return event.type;
  }
}

good(await agent.PUT('/v1/sessions/{id}', { ...session, body: { goal: 'try the types', policy: { on_stuck: 'ask' } } }));
const { 'session.ended': end, 'approval.requested': ask, 'directive.acknowledged': taken, ...steps } = events;
for (const event of Object.values(steps)) {
  const advice = good(await agent.POST('/v1/sessions/{id}/events', { ...session, body: event }));
  if (advice.accepted !== 1) throw new Error('not accepted: ' + event.type);
}
good(await person.POST('/v1/sessions/{id}/nudge', { ...session, body: { text: 'read the log first' } }));
const nudged = good(await agent.POST('/v1/sessions/{id}/heartbeat', { ...session, body: {} }));
const directive = nudged.directives.find((one) => one.type === 'change_approach');
if (!directive) throw new Error('the nudge did not come');
good(await agent.POST('/v1/sessions/{id}/events', { ...session, body: [{ ...taken, data: { id: directive.id } }, ask] }));

const blocked = good(await agent.GET('/v1/sessions/{id}/wait', { params: { ...session.params, query: { until: ['blocked'], wait: '10s' } } }));
if (blocked.matched !== 'blocked' || blocked.cause !== null) throw new Error('not blocked: ' + JSON.stringify(blocked));
const inbox = good(await person.GET('/v1/approvals', { params: { query: { session: 'typed-agent' } } }));
const request = inbox.approvals[0];
if (!request) throw new Error('the inbox is empty');
const decided = good(await person.POST('/v1/approvals/{approval}/decision', {
  params: { path: { approval: request.id } }, body: { decision: 'approve', reason: 'fine' },
}));
if (decided.approval.status !== 'approved') throw new Error('not approved');
good(await agent.POST('/v1/sessions/{id}/events', { ...session, body: end }));

const waited = good(await agent.GET('/v1/sessions/{id}/wait', { params: { ...session.params, query: { until: ['settled'], silent_for: '1m' } } }));
const journal = good(await agent.GET('/v1/sessions/{id}/events', { params: { ...session.params, query: { limit: 200 } } }));
if (typeof journal === 'string') throw new Error('JSON was asked for, not NDJSON');
const seen = new Set<string>(journal.events.map((event) => event.type));
const missing = Object.keys(events).filter((type) => !seen.has(type));
console.log(JSON.stringify({ verdict: waited.verdict?.status, missing, last: journal.events.map(told).at(-1) }));
