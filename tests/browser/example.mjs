// SPDX-License-Identifier: Apache-2.0

// A small fleet as one may meet it: for the pictures, and for looking at every page with something on it.
import { tool } from './support.mjs';

async function writer(daemon) {
  await daemon.open('release-notes', { goal: 'Write the release notes for 2.4 from merged pull requests', agent: { type: 'writer', model: 'qwen3-32b' }, labels: { team: 'docs', branch: 'main' }, budget: { max_steps: 52, timeout_seconds: 1800, max_tokens: 400000, max_cost_usd: 2.5 } });
  await daemon.report('release-notes', { type: 'message', data: { role: 'user', text: 'Write the release notes for 2.4.' } }, { type: 'phase.started', data: { number: 1, name: 'collect', total: 3 } });
  for (let i = 1; i < 22; i++) {
    const path = `docs/pr-${4200 + i}.md`;
    await daemon.report('release-notes', { type: 'heartbeat', data: { phase: i < 8 ? 'collect' : 'drafting', iteration: i, usage: { input_tokens: 6000 + 200 * i, output_tokens: 900, cost_usd: 0.03 } } },
      { type: 'tool.started', data: { call_id: `c${i}`, tool: 'read', args: { path }, round: i } }, tool('read', { path }, { call_id: `c${i}`, round: i, result: `change ${i}`, duration_ms: 120 * i }),
      ...(i % 3 ? [] : [tool('edit', { path: 'NOTES.md' }, { round: i, mutated: [{ path: 'NOTES.md', digest: `d${i}` }] })]),
      ...(i === 8 ? [{ type: 'phase.completed', data: { number: 1, ok: true } }, { type: 'phase.started', data: { number: 2, name: 'drafting', description: 'one section a pull request' } }] : []),
      { type: 'message', data: { role: 'assistant', text: `Section ${i} is drafted.` } });
  }
  await daemon.report('release-notes', { type: 'fact.learned', data: { text: 'The format is Keep a Changelog 1.1.', source: 'CONTRIBUTING.md' } }, { type: 'test.result', data: { passed: 40, failed: 0, command: 'make lint' } },
    { type: 'progress.estimated', data: { percent: 62, reasoning: '13 of 21 sections have text', next_milestone: 'review' } }, { type: 'tool.started', data: { call_id: 'c22', tool: 'bash', args: { command: 'make preview' }, round: 22 } });
}

async function asking(daemon) {
  await daemon.open('flaky-login-test', { goal: 'Fix the flaky login test', agent: { type: 'coder', model: 'qwen3-coder' }, labels: { team: 'web', branch: 'fix-login' } });
  await daemon.report('flaky-login-test', { type: 'message', data: { role: 'user', text: 'Please fix tests/login_test.py' } });
  for (let i = 1; i < 12; i++) await daemon.report('flaky-login-test', tool('bash', { command: 'pytest tests/login_test.py -x' }, { round: i, ok: false, error: { class: 'test_failure', message: 'AssertionError: expected 200, got 503' }, duration_ms: 5200 }));
  await daemon.open('deploy-staging', { goal: 'Deploy build 8812 to staging', agent: { type: 'ops' }, labels: { team: 'platform', env: 'staging' } });
  await daemon.report('deploy-staging', tool('bash', { command: 'make image' }, { round: 1, result: 'built' }), tool('bash', { command: 'kubectl diff -f staging/' }, { round: 2, result: '3 objects change' }));
  await daemon.ask('deploy-staging', '{"tool":"bash","call_id":"c1","args":{"command":"kubectl apply -f staging/ --prune","timeout":30.0},"summary":"Applies 3 changed objects and removes 1 that is no longer in the repository.","risk":"high","expires_in_ms":900000,"on_expiry":"reject"}');
  await daemon.open('migrate-config', { goal: 'Move the config loader to TOML', agent: { type: 'coder', model: 'qwen3-coder' }, labels: { team: 'platform', branch: 'toml' }, parent: 'release-notes' });
  for (let i = 1; i < 9; i++) await daemon.report('migrate-config', tool('edit', { path: `config/part_${i}.py` }, { round: i, mutated: [{ path: `config/part_${i}.py`, digest: `x${i}` }] }), { type: 'test.result', data: { passed: 30 + i, failed: 9 - i } });
  await daemon.ask('migrate-config', { tool: 'edit', call_id: 'e1', risk: 'low', args: { path: 'config/load.py', old_string: 'import yaml\n\ndef load(path):\n    return yaml.safe_load(open(path))\n', new_string: 'import tomllib\n\ndef load(path):\n    with open(path, "rb") as file:\n        return tomllib.load(file)\n' } });
  await daemon.ask('migrate-config', { kind: 'question', summary: 'The old loader accepted duplicate keys. Should the new one refuse them, or keep the last?', options: ['refuse', 'keep the last'] });
}

async function others(daemon) {
  await daemon.open('map-the-repo', { goal: 'Map the modules of the billing service', agent: { type: 'explore' }, labels: { team: 'billing' }, parent: 'release-notes', budget: { max_steps: 12, timeout_seconds: 300 } });
  for (let i = 1; i < 11; i++) await daemon.report('map-the-repo', tool('grep', { pattern: `class Invoice${i}` }, { round: i, result: `${i} matches in ${i * 3} files` }));
  await daemon.open('nightly-import', { goal: 'Import the vendor catalogue', agent: { type: 'batch' }, labels: { team: 'billing' }, policy: { heartbeat_interval_ms: 200 } });
  await daemon.report('nightly-import', { type: 'heartbeat', data: { phase: 'loading', iteration: 1 } });
  for (let k = 0; k < 6; k++) {
    const id = `triage-${4400 + k * 7}`;
    await daemon.open(id, { goal: `Triage issue ${4400 + k * 7}`, agent: { type: 'triage', model: 'qwen2.5-7b' }, labels: { team: ['web', 'docs', 'billing'][k % 3] } });
    for (let i = 1; i < 5 + k; i++) await daemon.report(id, tool('fetch', { url: `https://issues.example/${4400 + k * 7}/${i}` }, { round: i, result: i % 3 ? `comment ${i} says ${i * k}` : 'ok' }), ...(i % 4 ? [] : [{ type: 'test.result', data: { passed: i, failed: 9 - i } }]));
  }
  const ends = [['Upgrade the parser', 'completed', 'all tests pass'], ['Port to arm64', 'failed', 'no compiler for it here'], ['Rename the package', 'cancelled', 'not needed any more'], ['Add a retry to uploads', 'completed', 'merged'], ['Tidy the fixtures', 'completed', 'merged']];
  for (const [i, [goal, outcome, reason]] of ends.entries()) {
    await daemon.open(`done-${i}`, { goal, agent: { type: 'coder' }, labels: { team: 'web' } });
    await daemon.report(`done-${i}`, tool('bash', { command: 'make test' }, { round: 1, result: 'ok' }));
    await daemon.call('POST', `/v1/sessions/done-${i}/end`, { outcome, reason });
  }
}

export async function fill(daemon) {
  await writer(daemon);
  await asking(daemon);
  await others(daemon);
  const { id } = await daemon.ask('triage-4400', { tool: 'comment', args: { issue: 4400, body: 'Duplicate of 4371.' }, risk: 'low' });
  await daemon.call('POST', `/v1/approvals/${id}/decision`, { decision: 'approve', by: 'ann', reason: 'fine' }, daemon.token());
  const { id: read } = await daemon.ask('release-notes', { tool: 'fetch', args: { url: 'https://forge.example/pulls/4211' }, risk: 'low' });
  await daemon.call('POST', `/v1/approvals/${read}/decision`, { decision: 'approve', scope: 'session', match: 'tool', by: 'ann' }, daemon.token());
}
