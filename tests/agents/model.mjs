// SPDX-License-Identifier: Apache-2.0
// A model provider that says what its script says: node model.mjs SCRIPT LOG PORTFILE. Agents reach it as Anthropic Messages, OpenAI
// Chat Completions, OpenAI Responses or Gemini. The script is JSON: {"main": [turn...], "sub": [turn...]}; a turn is counted by the
// answers that already stand in the conversation, so a repeated request gets the same one. {"shell": command}, {"sub": task} and
// {"text": words}, {"ask": question}, {"background": command} are turns, and {"fault": NAME} of model_faults.mjs, at most "times" times,
// or for "seconds" since the first one, at whose end a usage limit resets, and "then" another turn; "gate": NAME holds the answer until POST /gate/NAME, "delay_ms" for so long.
import fs from 'node:fs';
import http from 'node:http';
import { understood, answer } from './model_wire.mjs';
import { RESET_SECONDS, fail } from './model_faults.mjs';
import { call } from './model_tools.mjs';

const [scriptFile, logFile, portFile] = process.argv.slice(2);
const DONE = { text: 'All done.' };
const SUB = 'SUBTASK';
const open = new Set();
const waiting = new Map();
let requests = 0;
let faults = 0;
let lifted = 0; // when a fault of some seconds ends

const record = (entry) => fs.appendFileSync(logFile, `${JSON.stringify({ at: Date.now(), ...entry })}\n`);

const gate = (name) => new Promise((resolve) => {
  if (open.has(name)) return resolve();
  waiting.set(name, [...(waiting.get(name) ?? []), resolve]);
});

const openGate = (name) => {
  open.add(name);
  for (const resolve of waiting.get(name) ?? []) resolve();
  waiting.delete(name);
};

// Read again for each request: a case may change what comes next.
const turnOf = (seen) => {
  if (!seen.tools.length) return { text: '{"title":"a title"}' };
  const script = JSON.parse(fs.readFileSync(scriptFile, 'utf8'));
  const sub = seen.user.includes(SUB) && !seen.user.includes(script.prompt);
  return { sub_agent: sub, ...((sub ? script.sub : script.main)?.[seen.turn] ?? DONE) };
};

const json = (response, status, body) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const handle = async (request, response) => {
  let raw = '';
  for await (const part of request) raw += part;
  const path = new URL(request.url, 'http://model').pathname;
  if (path.startsWith('/gate/')) {
    openGate(path.slice(6));
    return json(response, 200, {});
  }
  if (path.startsWith('/v1/hooks/')) return json(response, 200, {}); // a daemon that has nothing to say, to compare with
  if (/\/count_tokens$|:countTokens$/.test(path)) return json(response, 200, { input_tokens: 100, totalTokens: 100 });
  if (/\/models$/.test(path)) return json(response, 200, { object: 'list', data: [{ id: 'fake-model', object: 'model' }], models: [] });
  let body = {};
  try {
    body = JSON.parse(raw || '{}');
  } catch {
    return json(response, 400, { error: { message: 'no JSON' } });
  }
  const seen = understood(request.method, path, body);
  if (!seen) {
    record({ unknown: `${request.method} ${path}` });
    return json(response, 404, { error: { message: `no route ${path}`, type: 'not_found_error' } });
  }
  const number = ++requests;
  let turn = turnOf(seen);
  if (turn.fault && turn.seconds && !lifted) lifted = Date.now() + turn.seconds * 1000;
  const over = turn.seconds ? Date.now() >= lifted : faults >= turn.times;
  if (turn.fault && turn.then && over) turn = { sub_agent: turn.sub_agent, ...turn.then };
  record({ number, format: seen.format, turn: seen.turn, sub_agent: turn.sub_agent, tools: seen.tools.map((tool) => tool.name), said: turn, body });
  if (turn.gate) await gate(turn.gate);
  if (turn.delay_ms) await new Promise((resolve) => { setTimeout(resolve, turn.delay_ms); });
  if (turn.fault) {
    record({ faulted: number, times: ++faults });
    return fail(turn.fault, seen.format, response, lifted ? Math.ceil((lifted - Date.now()) / 1000) : RESET_SECONDS);
  }
  record({ answered: number });
  const calls = [];
  try {
    if (turn.shell) calls.push(call(seen.tools, 'shell', turn.shell));
    if (turn.ask) calls.push(call(seen.tools, 'ask', turn.ask));
    if (turn.background) calls.push(call(seen.tools, 'background', turn.background));
    if (turn.sub) calls.push(call(seen.tools, 'sub', `${SUB} ${turn.sub}`));
  } catch (error) {
    record({ error: error.message });
    return json(response, 400, { error: { message: error.message, type: 'invalid_request_error' } }); // which is not tried again
  }
  return answer(seen, response, number, turn.text ?? '', calls.map((c, i) => ({ id: `call_${number}_${i}`, ...c })));
};

fs.writeFileSync(logFile, '');
const server = http.createServer((request, response) => {
  handle(request, response).catch((error) => {
    record({ error: String(error.stack) });
    response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => {
  fs.writeFileSync(`${portFile}.new`, String(server.address().port));
  fs.renameSync(`${portFile}.new`, portFile); // it is there with all of its bytes, or not at all
});
