// SPDX-License-Identifier: Apache-2.0
// One framework under Headway: node driver.mjs PLAY MODEL_SERVER WORK. Prints a line of JSON for each behaviour.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { session as open } from 'headway-agent';
import { startHeadway } from 'headway-agent/testing';

const [playFile, modelServer, work] = process.argv.slice(2);
const { cases: own, play, streams } = await import(pathToFileURL(playFile).href);
const PROMPT = 'do the scripted work';
const CALL_SECONDS = 60;
const SUPERVISED = 'Headway supervises this session';
process.on('unhandledRejection', (error) => { console.error('unhandled rejection', error); process.exitCode = 1; });

const until = async (condition, what) => {
  const end = performance.now() + 20_000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within 20 s: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
};

const startModel = async () => {
  const file = (name) => path.join(work, name);
  fs.mkdirSync(work, { recursive: true });
  for (const name of ['model.port', 'model.jsonl']) fs.rmSync(file(name), { force: true });
  const child = spawn(process.execPath, [modelServer, file('script.json'), file('model.jsonl'), file('model.port')], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.on('exit', () => child.kill('SIGKILL'));
  await until(() => fs.existsSync(file('model.port')), 'the model server');
  child.unref();
  let before = 0;
  const log = () => fs.readFileSync(file('model.jsonl'), 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line)).filter(({ body }) => body);
  return { baseURL: `http://127.0.0.1:${fs.readFileSync(file('model.port'), 'utf8')}/v1`,
    script: (main) => { fs.writeFileSync(file('script.json'), JSON.stringify({ prompt: PROMPT, main })); before = fs.existsSync(file('model.jsonl')) ? log().length : 0; },
    requests: () => log().slice(before).map(({ body }) => JSON.stringify(body.messages ?? body.input)) };
};

const model = await startModel();
const free = await startHeadway({ url: '' });
const strict = await startHeadway({ url: '', settings: { 'approvals.require_tools': own ? 'Bash' : 'bash' } });

// One run of the agent to its end: `tool(command)` is its only tool.
const run = async (hw, main, tool, { about = {}, how = {} } = {}) => {
  model.script(main);
  const s = await open({ url: hw?.url ?? 'http://127.0.0.1:9', goal: PROMPT, ...about });
  const ran = [];
  const execute = async ({ command }) => { ran.push(command); return tool(command, s); };
  const result = { s, ran, text: undefined };
  result.done = s.run(() => play({ session: s, baseURL: model.baseURL, execute, prompt: PROMPT, stream: false, ...how }))
    .then((text) => { result.text = text; });
  result.done.catch(() => {});
  return result;
};
const whole = async (...given) => {
  const result = await run(...given);
  await result.done;
  return { ...result, requests: model.requests(), events: given[0] ? await given[0].events(result.s.id) : [], state: given[0] ? await given[0].session(result.s.id) : null };
};
const finished = ({ events }) => events.filter(({ type }) => type === 'tool.finished').map(({ data }) => data);
const same = Array(6).fill({ shell: 'make' });
const decide = async ({ s }, decision) => {
  const [{ id }] = await until(async () => {
    const { approvals } = await strict.request('GET', `/v1/approvals?session=${s.id}`);
    return approvals.length && approvals;
  }, 'a request for approval');
  await strict.operator('POST', `/v1/approvals/${id}/decision`, decision);
};
const fails = () => { throw new Error('no rule to make target'); };

const loop = async (how) => {
  const { requests, text } = await whole(free, same, fails, { how });
  assert.equal(text, 'All done.');
  const first = requests.findIndex((body) => body.includes(SUPERVISED));
  assert.ok(first > 0, `no advice in ${requests.length} requests`);
  return `in request ${first + 1}`;
};

const usage = async (how) => {
  const { state, events } = await whole(free, [{ shell: 'a' }, { shell: 'b' }], () => 'ok', { how });
  assert.equal(state.used.tokens, 360);
  assert.equal(state.outcome, 'completed');
  assert.ok(events.some(({ type, data }) => type === 'message' && data.role === 'assistant' && /All done/.test(data.text)));
  return '3 x 120 tokens';
};

const cases = {
  'advice of a loop reaches the model': () => loop({}),
  'a person rejects: not run, the model has the reason': async () => {
    const result = await run(strict, [{ shell: 'deploy' }], () => 'ok');
    await decide(result, { decision: 'reject', reason: 'use the staging host instead' });
    await result.done;
    assert.deepEqual(result.ran, []);
    assert.ok(model.requests().at(-1).includes('use the staging host instead'), 'the reason is in no request');
    assert.equal(result.text, 'All done.');
    return 'yes';
  },
  'held until a person approves': async () => {
    const result = await run(strict, [{ shell: 'deploy' }], () => 'deployed');
    await new Promise((resolve) => { setTimeout(resolve, 400); });
    assert.deepEqual(result.ran, []);
    await decide(result, { decision: 'approve' });
    await result.done;
    assert.deepEqual(result.ran, ['deploy']);
    assert.ok(model.requests().at(-1).includes('deployed'));
    assert.deepEqual((await strict.session(result.s.id)).alarms, []);
    return 'yes';
  },
  'a person edits the arguments': async () => {
    const result = await run(strict, [{ shell: 'deploy' }], () => 'deployed');
    await decide(result, { decision: 'edit', edited_args: { command: 'deploy --dry-run' } });
    await result.done;
    assert.deepEqual(result.ran, ['deploy --dry-run']);
    return 'yes';
  },
  'a cancel ends the run': async () => {
    const many = Array.from({ length: 20 }, (_, i) => ({ shell: `step ${i}` }));
    const { ran, state, s } = await whole(free, many, async (command, session) => {
      if (command === 'step 1') await free.operator('POST', `/v1/sessions/${session.id}/cancel`, { reason: 'not needed' });
      return command;
    });
    assert.ok(ran.length <= 3, `${ran.length} calls ran`);
    assert.equal(state.outcome, 'cancelled');
    assert.match(s.stopped, /not needed/);
    return `after ${ran.length} calls`;
  },
  usage: () => usage({}),
  'a failure is seen as failure': async () => {
    const result = await whole(free, [{ shell: 'make' }], fails);
    const [call] = finished(result);
    assert.deepEqual([call.ok, /no rule to make target/.test(call.error.message)], [false, true]);
    assert.equal(result.text, 'All done.');
    return 'yes';
  },
  'the budget stands in the system prompt': async () => {
    const { requests } = await whole(free, [{ shell: 'a' }], () => 'ok', { about: { budget: { max_steps: 20 } } });
    assert.ok(requests.at(-1).includes('[EXECUTION BUDGET]'));
    return 'yes';
  },
  'streamed: advice': () => (streams ? loop({ stream: true }) : null),
  'streamed: usage': () => (streams ? usage({ stream: true }) : null),
  'without a daemon it works as before': async () => {
    const { ran, text } = await whole(null, [{ shell: 'a' }, { shell: 'b' }], () => 'ok');
    assert.deepEqual([ran, text], [['a', 'b'], 'All done.']);
    return 'yes';
  },
};
if (/aisdk/.test(playFile)) cases['an agent object'] = () => loop({ agent: true });

const played = own ? own({ assert, decide, free, model, strict, until, work }) : cases;
for (const [behaviour, body] of Object.entries(played)) {
  let cell;
  let timer;
  try {
    const late = new Promise((resolve, reject) => { timer = setTimeout(() => reject(new Error(`more than ${CALL_SECONDS} s`)), CALL_SECONDS * 1000); });
    const says = await Promise.race([body(), late]);
    cell = says === null ? { ok: null, says: 'no' } : { ok: true, says };
  } catch (error) {
    cell = { ok: false, says: String(error.message).split('\n').slice(0, 3).join(' '), stack: error.stack };
  } finally {
    clearTimeout(timer);
  }
  console.log(JSON.stringify({ behaviour, ...cell }));
}
await Promise.all([free.stop(), strict.stop()]);
process.exit();
