#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plugins of clients/ under node, against a small server in the place of the daemon."""
import hashlib
import http.server
import json
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.cli import Cli
from support.daemon import PROJECT, clean_environment
from support.limits import SLOW, eventually, patient

NODE = shutil.which("node")
ESBUILD = shutil.which("esbuild")
OPENCODE = """
import { Headway } from './kilo/headway.js';
const aborted = [];
const client = { session: { abort: async (x) => { aborted.push(x.path.id); } } };
const plugin = await Headway({ client, directory: '/home/dev' });
const again = await Headway({ client, directory: '/home/dev' });
const print = (x) => console.log(JSON.stringify(x));
print({ second: Object.keys(again).length });
await plugin.event({ event: { type: 'session.created', properties: { info: { id: 'ses_1', version: '1.18.33' } } } });
await plugin['chat.message']({ sessionID: 'ses_1' }, { message: { model: { modelID: 'm' } }, parts: [{ type: 'text', text: 'go' }] });
const system = { system: [] };
await plugin['experimental.chat.system.transform']({ sessionID: 'ses_1' }, system);
await plugin['experimental.chat.system.transform']({ sessionID: 'ses_1' }, system);
print(system);
const before = { args: { command: 'make', old: 1 } };
await plugin['tool.execute.before']({ tool: 'bash', sessionID: 'ses_1', callID: 'c1' }, before);
print(before);
const after = { output: 'said', metadata: { exit: 2 } };
await plugin['tool.execute.after']({ tool: 'bash', sessionID: 'ses_1', callID: 'c1', args: before.args }, after);
print(after);
const part = { type: 'tool', tool: 'bash', callID: 'c2', sessionID: 'ses_1', state: { status: 'error', input: {}, error: 'Error: not this' } };
try { await plugin['tool.execute.before']({ tool: 'bash', sessionID: 'ses_1', callID: 'c2' }, { args: {} }); } catch (e) { print({ denied: e.message }); }
for (let i = 0; i < 2; ++i) await plugin.event({ event: { type: 'message.part.updated', properties: { part } } });
const step = { type: 'step-finish', id: 'p1', sessionID: 'ses_1', tokens: { input: 100, output: 20, cache: { read: 5, write: 0 } }, cost: 0.5 };
for (let i = 0; i < 2; ++i) await plugin.event({ event: { type: 'message.part.updated', properties: { part: step } } });
await plugin.event({ event: { type: 'session.created', properties: { info: { id: 'ses_2', parentID: 'ses_1' } } } });
await plugin.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_2' } } });
try { await plugin['tool.execute.before']({ tool: 'bash', sessionID: 'ses_1', callID: 'c3' }, { args: {} }); } catch (e) { print({ stopped: e.message, aborted }); }
await plugin.event({ event: { type: 'session.error', properties: { sessionID: 'ses_1', error: { name: 'APIError', data: { message: 'overloaded' } } } } });
await plugin.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } });
"""
MOMENTS = """
import { Headway } from './kilo/headway.js';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const event = (type, properties) => plugin.event({ event: { type, properties: { sessionID: 's', ...properties } } });
const soon = Date.now() + 3600e3;
const step = (id, tokens, cost) => event('message.part.updated', { part: { type: 'step-finish', id, sessionID: 's', tokens, ...cost } });
await step('p1', { input: 10, output: 20, reasoning: 500, cache: { read: 1000, write: 20000 } }, { cost: 0.5 });
await step('p2', { input: 10, output: 20 }, { cost: 0 });
await event('session.status', { status: { type: 'retry', attempt: 1, message: 'Rate limit exceeded', next: soon } });
await event('session.status', { status: { type: 'busy' } });
await event('permission.asked', { id: 'per_1', permission: 'bash', patterns: ['rm -rf build'] });
await event('permission.asked', { id: 'per_1', permission: 'bash', patterns: ['rm -rf build'] });
await event('question.asked', { id: 'que_1', questions: [{ question: 'Which?' }] });
await event('permission.replied', { requestID: 'per_1', reply: 'once' });
await event('question.replied', { requestID: 'que_1', answers: [['a']] });
await event('question.replied', { requestID: 'que_1', answers: [['a']] });
await event('question.v2.asked', { id: 'que_2', questions: [{ question: 'And?' }] });
await event('question.v2.rejected', { requestID: 'que_2' });
await event('session.error', { error: { name: 'MessageAbortedError', data: { message: 'aborted' } } });
await event('session.error', { error: { name: 'APIError', data: { message: 'usage limit', statusCode: 429, isRetryable: false,
  responseHeaders: { 'retry-after': '3600' }, responseBody: JSON.stringify({ error: { type: 'FreeUsageLimitError', resets_at: Math.round(soon / 1000) + 7200 } }) } } });
await event('session.error', { error: { name: 'ProviderAuthError', data: { message: 'Token refresh failed: 401' } } });
const part = (more) => event('message.part.updated', { part: { sessionID: 's', ...more } });
await part({ type: 'text', id: 'prt_1', text: 'half of an ans', time: { end: 1 } });
await part({ type: 'step-start' });
await part({ type: 'text', id: 'prt_2', text: 'an answer', time: { end: 2 } });
const failed = (callID, error) => event('message.part.updated', { part: { type: 'tool', tool: 'bash', callID, sessionID: 's', state: { status: 'error', input: {}, error } } });
await failed('c1', 'The user rejected permission to use this specific tool call.');
await failed('c2', 'The user has specified a rule which prevents you from using this specific tool call.');
await failed('c3', 'The user dismissed this question');
await failed('c4', 'Tool execution aborted');
await failed('c5', 'exit 1');
const said = (parts) => plugin['chat.message']({ sessionID: 's' }, { parts, message: {} });
await said([{ type: 'text', text: 'fix it' }, { type: 'text', text: 'Called the Read tool', synthetic: true }]);
await said([{ type: 'text', text: 'Continue if you have next steps', synthetic: true }]);
console.log(JSON.stringify({ soon }));
"""
TURNS = """
import { Headway } from './kilo/headway.js';
const plugin = await Headway({ client: { session: { get: async ({ path: { id } }) => ({ data: { id, parentID: id === 'child' ? 'top' : undefined } }) } },
  directory: '/home/dev' });
const event = (type, properties) => plugin.event({ event: { type, properties } });
let parts = 0;
const part = (sessionID, more) => event('message.part.updated', { part: { id: `prt_${++parts}`, sessionID, ...more } });
const words = { type: 'text', text: 'an answer', time: { end: 1 } };
const call = (error) => ({ type: 'tool', tool: 'bash', callID: `c${++parts}`, state: { status: error ? 'error' : 'completed', input: {}, error } });
const end = (reason) => ({ type: 'step-finish', tokens: {}, cost: 0, reason });
const start = { type: 'step-start' };
const turns = {
  stop: [start, words, end('stop')],
  work: [start, call(), end('tool-calls'), start, end('stop')],
  length: [start, words, end('length')],
  unknown: [start, words, end('unknown')],
  filter: [start, words, end('content-filter')],
  calls: [start, call(), end('tool-calls')],
  person: [start, call('The user rejected permission to use this specific tool call.'), end('tool-calls')],
  half: [start, words],
  empty: [{ type: 'text', text: 'go' }, start, { ...words, text: ' ' }, end('stop')],
  aborted: [start, { name: 'MessageAbortedError' }],
  failed: [start, words, end('length'), { name: 'APIError', data: { message: 'overloaded' } }],
  none: [],
  child: [start, words, end('length')],
};
for (const [id, all] of Object.entries(turns)) {
  await plugin['chat.message']({ sessionID: id }, { message: {}, parts: [{ type: 'text', text: 'go' }] });
  for (const one of all) await (one.name ? event('session.error', { sessionID: id, error: one }) : part(id, one));
  await event('session.idle', { sessionID: id });
}
"""
ABORTED = """
import { Headway } from './kilo/headway.js';
import pi from './headway.mjs';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const call = { tool: 'deploy', sessionID: 's', callID: 'c1' };
plugin['tool.execute.before'](call, { args: { to: 'a' } }).catch(() => {});
await pause(200);
const state = { status: 'error', input: {}, error: 'Tool execution aborted' };
await plugin.event({ event: { type: 'message.part.updated', properties: { part: { type: 'tool', ...call, state } } } });
const on = {};
pi({ on: (name, handler) => { on[name] = handler; } });
const user = new AbortController();
const ctx = { sessionManager: { getSessionId: () => 'p' }, cwd: '/', signal: user.signal };
setTimeout(() => user.abort(), 200);
const began = performance.now();
const said = await on.tool_call({ toolName: 'deploy', toolCallId: 'c2', input: { to: 'b' } }, ctx);
console.log(JSON.stringify({ ...said, ms: performance.now() - began }));
process.exit(0);
"""
PI_TURNS = """
import headway from './headway.mjs';
const on = {};
headway({ on: (name, handler) => { on[name] = handler; } });
const answer = (stopReason, text = 'hi') => ({ role: 'assistant', stopReason, usage: {}, content: text ? [{ type: 'text', text }] : [] });
const turns = { stop: answer('stop'), work: answer('stop', ''), length: answer('length'), calls: answer('toolUse'), odd: answer('weird'),
  empty: answer('stop', ' '), absent: answer(undefined), none: undefined };
for (const [id, message] of Object.entries(turns)) {
  const ctx = { sessionManager: { getSessionId: () => id }, cwd: '/' };
  await on.input({ text: 'go', source: 'interactive' }, ctx);
  if (id === 'work') await on.tool_call({ toolName: 'bash', toolCallId: 'c', input: {} }, ctx);
  if (message) on.message_end({ message }, ctx);
  on.agent_end({ messages: message ? [message] : [] }, ctx);
  await on.session_shutdown({ reason: 'quit' }, ctx);
}
"""
PI_MOMENTS = """
import headway from './headway.mjs';
const on = {};
headway({ on: (name, handler) => { on[name] = handler; } });
const ctx = { sessionManager: { getSessionId: () => 'one' }, cwd: '/home/dev' };
const message = (more) => ({ role: 'assistant', model: 'm', content: [{ type: 'text', text: 'hi' }], usage: { input: 10, output: 20, cacheRead: 1000, cacheWrite: 20000, cost: { total: 0.5 } }, ...more });
await on.input({ text: 'go', source: 'interactive' }, ctx);
on.message_end({ message: message({}) }, ctx);
await on.ui_prompt_start({ kind: 'confirm', title: 'Run it?' }, ctx);
await on.ui_prompt_end({ kind: 'confirm' }, ctx);
on.after_provider_response({ status: 429, headers: { 'retry-after': '60' } });
const failure = message({ content: [], stopReason: 'error', errorMessage: '429 slow down', usage: undefined });
for (const again of [true, false]) {
  on.message_end({ message: failure }, ctx);
  on.agent_end({ messages: [failure] }, ctx);
  if (again) on.turn_start({}, ctx);
}
on.agent_settled({}, ctx);
on.agent_end({ messages: [message({ stopReason: 'aborted' })] }, ctx);
await on.input({ text: 'next', source: 'extension' }, ctx);
await on.session_shutdown({ reason: 'quit' }, ctx);
"""
HUGE = """
import { Headway } from './kilo/headway.js';
import headway from './headway.mjs';
const args = { content: 'x'.repeat(20_000_000) };
const other = { content: 'x'.repeat(19_999_999) + 'y' };
const circle = {};
circle.self = circle;
const output = 'y'.repeat(20_000_000) + 'z';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
await plugin['tool.execute.before']({ tool: 'write', sessionID: 's', callID: 'c1' }, { args });
await plugin['tool.execute.after']({ tool: 'write', sessionID: 's', callID: 'c1', args }, { output });
await plugin['tool.execute.before']({ tool: 'write', sessionID: 's', callID: 'c2' }, { args: other });
await plugin['tool.execute.after']({ tool: 'write', sessionID: 's', callID: 'c2', args: circle }, { output: '' });
const on = {};
headway({ on: (name, handler) => { on[name] = handler; } });
const ctx = { sessionManager: { getSessionId: () => 's' }, cwd: '/' };
const content = (text) => [{ type: 'text', text }];
await on.tool_call({ toolName: 'write', toolCallId: 'c1', input: args }, ctx);
await on.tool_result({ toolName: 'write', toolCallId: 'c1', input: args, content: content(output) }, ctx);
await on.tool_call({ toolName: 'write', toolCallId: 'c2', input: other }, ctx);
await on.tool_result({ toolName: 'write', toolCallId: 'c2', input: circle, content: content('') }, ctx);
"""
CALLS = """
import { Headway } from './kilo/headway.js';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const start = performance.now();
for (let i = 0; i < Number(process.argv[2]); ++i) {
  await plugin['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: `c${i}` }, { args: {} });
  await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: `c${i}`, args: {} }, { output: 'x' });
}
console.log(JSON.stringify({ ms: performance.now() - start }));
"""
PI = """
import headway from './headway.mjs';
const on = {};
headway({ on: (name, handler) => { on[name] = handler; } });
let aborted = 0;
let over = false;  // then pi throws at any use of the context
const ctx = { sessionManager: { getSessionId: () => { if (over) throw new Error('stale'); return 'one'; } }, cwd: '/home/dev', abort: () => { ++aborted; } };
const print = (x) => console.log(JSON.stringify(x ?? null));
await on.session_start({ reason: 'startup' }, ctx);
await on.input({ text: 'go', source: 'interactive' }, ctx);
print(await on.before_agent_start({ systemPrompt: 'base' }, ctx));
print(await on.tool_call({ toolName: 'bash', toolCallId: 'c1', input: { command: 'a' } }, ctx));
print(await on.tool_result({ toolName: 'bash', toolCallId: 'c1', input: { command: 'a' }, isError: true,
  content: [{ type: 'text', text: 'no\\n\\n\\nCommand exited with code 3' }] }, ctx));
print(await on.tool_call({ toolName: 'bash', toolCallId: 'c2', input: { command: 'b' } }, ctx));
print(await on.tool_result({ toolName: 'bash', toolCallId: 'c2', input: {}, isError: true, content: [] }, ctx));
on.message_end({ message: { role: 'assistant', model: 'm', content: [{ type: 'text', text: 'done' }],
  usage: { input: 100, output: 20, cacheRead: 7, cost: { total: 0.25 } } } }, ctx);
print(await on.tool_call({ toolName: 'bash', toolCallId: 'c3', input: {} }, ctx));
print(aborted);
on.agent_end({ messages: [{ role: 'assistant', content: [{ type: 'text', text: 'done' }], stopReason: 'stop' }] }, ctx);
const last = on.session_shutdown({ reason: 'quit' }, ctx);
over = true;
await last;
"""


ABSENT = """
import { Headway } from './kilo/headway.js';
import pi from './headway.mjs';
const now = Date.now;
let ahead = 0;
Date.now = () => now() + ahead;
let written = 0; // arguments made into bytes
const args = { toJSON: () => { ++written; return {}; } };
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const on = {};
pi({ on: (name, handler) => { on[name] = handler; } });
for (let i = 0; i < 20; ++i) {
  ahead += 10_000; // each call finds out again whether it is there
  await plugin['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: `c${i}` }, { args });
  await on.tool_call({ toolName: 'bash', toolCallId: `c${i}`, input: args }, {});
}
console.log(JSON.stringify({ written }));
"""
AWAY = """
import child from 'node:child_process';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { Headway } from './kilo/headway.js';
import pi from './headway.mjs';
const EACH_MS = 100; // between the calls, by a clock that stands still in them
let ahead = 0;
const began = Date.now();
Date.now = () => began + ahead;
const used = []; // of all that a call could wait for but the event loop
for (const [name, whole] of Object.entries({ child, dns, fs, http, https, net, Atomics }))
  for (const [key, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(whole)))
    if (typeof value === 'function' && writable && /^[a-z]/.test(key)) whole[key] = (...all) => { used.push(`${name}.${key}`); return value(...all); };
globalThis.setTimeout = () => ({ unref() {} }); // what waits for one never ends
let turns = 0;
let over = false;
const turn = () => { ++turns; if (!over) setImmediate(turn); };
turn();
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const on = {};
pi({ on: (name, handler) => { on[name] = handler; } });
const hooks = {
  opencode: async (i) => {
    await plugin['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: `c${i}` }, { args: {} });
    await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: `c${i}`, args: {} }, { output: 'x' });
  },
  pi: async (i) => {
    await on.tool_call({ toolName: 'bash', toolCallId: `c${i}`, input: {} }, {});
    await on.tool_result({ toolName: 'bash', toolCallId: `c${i}`, input: {}, content: [] }, {});
  },
};
for (const [name, call] of Object.entries(hooks)) {
  const tried = []; // at what times it looked whether the daemon is back
  const waited = []; // all else that a call waited for
  const before = process.cpuUsage();
  for (let i = 0; i < Number(process.argv[2]); ++i, ahead += EACH_MS) {
    const first = turns;
    await call(i);
    const uses = used.splice(0);
    if (uses.length === 1 && uses[0] === 'net.connect') tried.push(i * EACH_MS);
    else if (uses.length > 0 || turns !== first) waited.push([i, turns - first, ...uses]);
  }
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ name, tried, waited, ms: (user + system) / 1000 }));
}
over = true;
"""
LATER = """
import { Headway } from './kilo/headway.js';
const now = Date.now;
let ahead = 0;
Date.now = () => now() + ahead;
const plugin = await Headway({ client: {}, directory: '/home/dev' });
for (; ahead < 50_000; ahead += 10_000) {
  await plugin['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: 'c' }, { args: {} });
  await new Promise((resolve) => { setTimeout(resolve, 50); });
}
"""
LONG = """
import { Headway } from './kilo/headway.js';
import pi from './headway.mjs';
const print = (x) => console.log(JSON.stringify(x ?? null));
const plugin = await Headway({ client: {}, directory: '/home/dev' });
for (let i = 0; i < 30; ++i) await plugin['chat.message']({ sessionID: 's' }, { message: {}, parts: [{ type: 'text', text: `go ${i}` }] });
const system = { system: [] };
await plugin['experimental.chat.system.transform']({ sessionID: 's' }, system);
print(system.system);
try { await plugin['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: 'c' }, { args: {} }); } catch (e) { print([e.message]); }
const after = { output: '' };
await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: 'c', args: {} }, after);
print([after.output.trim()]);
const on = {};
pi({ on: (name, handler) => { on[name] = handler; } });
for (let i = 0; i < 30; ++i) await on.input({ text: `go ${i}` }, {});
print((await on.before_agent_start({ systemPrompt: '' })).systemPrompt.trim().split('\\n\\n'));
print([(await on.tool_call({ toolName: 'bash', toolCallId: 'c', input: {} }, {})).reason]);
print([(await on.tool_call({ toolName: 'bash', toolCallId: 'edited', input: {} }, {})).reason]);
print([(await on.tool_result({ toolName: 'bash', toolCallId: 'd', input: {}, content: [] }, {})).content.at(-1).text]);
"""
SIGNALS = """
import { Headway } from './kilo/headway.js';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const ends = [{ exit: 0 }, { exit: 3 }, { exit: null }, {}, undefined];
for (const [i, metadata] of ends.entries())
  await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: `c${i}`, args: {} }, { output: 'said', metadata });
const aborted = 'half\\n\\n<shell_metadata>\\nUser aborted the command\\n</shell_metadata>';
await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: 'c5', args: {} }, { output: aborted, metadata: { exit: null } });
"""
BEHIND = """
import { Headway } from './kilo/headway.js';
import pi from './headway.mjs';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const on = {};
pi({ on: (name, handler) => { on[name] = handler; } });
const ctx = { sessionManager: { getSessionId: () => 's' }, cwd: '/' };
const times = {};
const timed = async (name, then) => {
  const began = performance.now();
  await then();
  times[name] = performance.now() - began;
};
for (let i = 0; i < 20; ++i) {
  plugin.event({ event: { type: 'session.status', properties: { sessionID: 's', status: { type: 'retry', message: `${i}` } } } });
  on.ui_prompt_start({ title: `${i}` }, ctx);
}
const call = { tool: 'bash', sessionID: 's', callID: 'c' };
const others = ['input', 'session_start', 'session_shutdown'];
await Promise.all([
  timed('before', () => plugin['tool.execute.before'](call, { args: {} }).catch(() => {})),
  timed('after', () => plugin['tool.execute.after']({ ...call, args: {} }, { output: '' })),
  timed('message', () => plugin['chat.message']({ sessionID: 's' }, { message: {}, parts: [] })),
  timed('event', () => plugin.event({ event: { type: 'session.idle', properties: { sessionID: 's' } } })),
  timed('call', () => on.tool_call({ toolName: 'bash', toolCallId: 'c', input: {} }, ctx)),
  timed('result', () => on.tool_result({ toolName: 'bash', toolCallId: 'd', input: {}, content: [] }, ctx)),
  ...others.map((name) => timed(name, () => on[name]({}, ctx))),
]);
console.log(JSON.stringify(times));
process.exit(0);
"""
REFUSED = """
import { Headway } from './kilo/headway.js';
import pi from './headway.mjs';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const on = {};
pi({ on: (name, handler) => { on[name] = handler; } });
const ctx = (id) => ({ sessionManager: { getSessionId: () => id }, cwd: '/' });
for (const id of ['other', 's']) {
  const call = plugin['tool.execute.before']({ tool: 'bash', sessionID: id, callID: 'c' }, { args: {} });
  console.log(JSON.stringify(await call.then(() => 'ran', (error) => error.message)));
  console.log(JSON.stringify((await on.tool_call({ toolName: 'bash', toolCallId: 'c', input: {} }, ctx(id)))?.reason ?? 'ran'));
}
"""
KIN = """
import { Headway } from './kilo/headway.js';
const got = [];
const get = async ({ path: { id } }) => {
  got.push(id);
  if (id === 'ses_broken') throw new Error('no');
  if (id === 'ses_deaf') return new Promise(() => {});
  if (id === 'ses_gone') return { error: { name: 'NotFoundError' } };
  return { data: { id, parentID: id === 'ses_c' ? 'ses_m' : undefined } };
};
const plugin = await Headway({ client: { session: { get } }, directory: '/home/dev' });
const call = (id) => plugin['tool.execute.before']({ tool: 'bash', sessionID: id, callID: id }, { args: {} });
for (const id of ['ses_c', 'ses_m', 'ses_c']) await call(id);
await plugin.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_c' } } });
for (const id of ['ses_broken', 'ses_gone', 'ses_deaf']) await call(id);
const began = performance.now();
for (let i = 0; i < 5; ++i) await call('ses_deaf');
console.log(JSON.stringify({ got, ms: performance.now() - began }));
"""


class Stand(http.server.BaseHTTPRequestHandler):
    """Answers each hook with what `answer` says; a list is sent part by part, with pauses, until None breaks it off. A number is
    a status."""
    protocol_version = "HTTP/1.1"
    rested = False

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.stale and self.rested:  # it was closed while it rested
            self.close_connection = True
            return
        self.rested = True
        self.server.got.append((self.path, dict(self.headers), body))
        answer = self.server.answer(body)
        if answer is None:
            self.server.hang.wait(patient(60))
            return
        status = answer if isinstance(answer, int) else 200
        parts = answer if isinstance(answer, list) else [json.dumps({} if isinstance(answer, int) else answer)]
        self.send_response(status)
        self.send_header("X-Headway", "1")
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for part in parts:
                if part is None:
                    self.close_connection = True
                    return
                if isinstance(part, float):
                    self.wfile.flush()
                    self.server.hang.wait(part)
                else:
                    self.wfile.write(f"{len(part):x}\r\n{part}\r\n".encode())
                    self.server.written += len(part)
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True  # the plugin has read enough

    def log_message(self, *_):
        pass


def plugin(name: str) -> str:
    """As cli/embed_plugins.cmake makes it, which `Installed` compares."""
    clients = PROJECT / "clients"
    common = (clients / "plugin/daemon.js").read_text(encoding="utf-8").split("\n\n", 1)[1]
    place = "// Here stands clients/plugin/daemon.js.\n"
    text = (clients / name).read_text(encoding="utf-8")
    assert text.count(place) == 1, name
    return text.replace(place, common)


class Installed(OwnDaemonCase):
    def test_the_plugins_that_install_writes_are_whole(self):
        home = Path(tempfile.mkdtemp(prefix="headway-plugins-"))
        self.addCleanup(shutil.rmtree, home)
        daemon = self.start()
        cli = Cli(daemon)
        cli.environment["HOME"] = str(home)
        for agent, name, place in (("opencode", "opencode/headway.js", ".config/opencode/plugin/headway.js"),
                                   ("pi", "pi/headway.ts", ".pi/agent/extensions/headway.ts")):
            done = cli.run("install", agent, "--yes")
            self.assertEqual(done.code, 0, done.err)
            written = (home / place).read_text(encoding="utf-8")
            self.assertEqual(written, plugin(name).replace("http://127.0.0.1:7717", daemon.url, 1), agent)


@unittest.skipUnless(NODE, "node is not installed")
class SubAgents(OwnDaemonCase):
    CALLS = """
import { Headway } from './opencode/headway.js';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const above = { ses_m: undefined, ses_c: 'ses_m', ses_g: 'ses_c', ses_d: 'ses_g' };
for (const [id, parentID] of Object.entries(above))
  await plugin.event({ event: { type: 'session.created', properties: { info: { id, parentID, version: '1' } } } });
for (const id of Object.keys(above)) await plugin['tool.execute.before']({ tool: 'bash', sessionID: id, callID: id }, { args: {} });
"""

    # Another process of opencode, which knows the sessions: none of them begins in it.
    RESUMED = """
import { Headway } from './opencode/headway.js';
const above = { ses_m: undefined, ses_c: 'ses_m', ses_g: 'ses_c', ses_d: 'ses_g' };
const get = async ({ path: { id } }) => ({ data: { id, parentID: above[id] } });
const plugin = await Headway({ client: { session: { get } }, directory: '/home/dev' });
for (const id of Object.keys(above).reverse()) await plugin['tool.execute.before']({ tool: 'bash', sessionID: id, callID: id }, { args: {} });
"""

    def kin(self, script, roots):
        """The sessions below each root, with their parents, after a run of the plugin in it."""
        daemon = self.start({"access.mode": "token"})
        operator = self.client(daemon, token=daemon.operator_token())
        found = {}
        for session, root in roots:
            token = operator.post("/v1/tokens", {"name": root[:60], "scopes": [f"report:{root}"]}).json()["token"]
            folder = Path(tempfile.mkdtemp(prefix="headway-plugins-"))
            self.addCleanup(shutil.rmtree, folder)
            (folder / "package.json").write_text('{"type": "module"}')
            (folder / "opencode").mkdir()
            (folder / "opencode/headway.js").write_text(plugin("opencode/headway.js"))
            (folder / "test.mjs").write_text(script)
            environment = clean_environment(HEADWAY_URL=daemon.url, HEADWAY_TOKEN=token, **({"HEADWAY_SESSION": session} if session else {}))
            subprocess.run([NODE, "test.mjs"], cwd=folder, env=environment, timeout=patient(60), check=True)
            sessions = operator.get("/v1/sessions").json()["sessions"]
            found[root] = {one["id"]: one["parent"] for one in sessions if one["id"].startswith(root)}
        return found

    def test_sub_agents_of_opencode_are_below_the_session_of_the_run(self):
        for script in (self.CALLS, self.RESUMED):
            for root, found in self.kin(script, (("night", "night"), (None, "opencode-ses_m"))).items():
                with self.subTest(root):
                    self.assertEqual(found, {root: None, f"{root}.ses_c": root, f"{root}.ses_c.ses_g": f"{root}.ses_c",
                                             f"{root}.ses_c.ses_d": f"{root}.ses_c"})

    def test_an_id_without_room_for_two_more_has_all_sub_agents_below_it(self):
        root = "n" * 118
        found = self.kin(self.CALLS, ((root, root),))[root]
        self.assertEqual((len(found), set(found.values())), (4, {None, root}))


@unittest.skipUnless(NODE, "node is not installed")
class Killed(OwnDaemonCase):
    CALL = """
import { Headway } from './opencode/headway.js';
const plugin = await Headway({ client: {}, directory: '/home/dev' });
const call = plugin['tool.execute.before']({ tool: 'deploy', sessionID: 's', callID: 'c' }, { args: {} });
console.log(await call.then(() => 'ran', (error) => error.message));
"""

    def test_a_call_whose_daemon_is_killed_in_a_hold_runs(self):
        """As docs/agents/README.md has it: an unreachable daemon stops no agent."""
        daemon = self.start({"approvals.require_tools": "deploy"})
        folder = Path(tempfile.mkdtemp(prefix="headway-plugins-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "opencode").mkdir()
        (folder / "opencode/headway.js").write_text(plugin("opencode/headway.js"))
        (folder / "test.mjs").write_text(self.CALL)
        agent = subprocess.Popen([NODE, "test.mjs"], cwd=folder, env=clean_environment(HEADWAY_URL=daemon.url), stdout=subprocess.PIPE, text=True)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        operator = self.client(daemon, token=daemon.operator_token())
        eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 1)
        daemon.kill()
        self.assertEqual(agent.communicate(timeout=patient(30))[0], "ran\n")


@unittest.skipUnless(NODE and ESBUILD, "node or esbuild is not installed")
class Plugins(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stand)
        self.server.daemon_threads = True
        self.server.got, self.server.answer, self.server.hang = [], lambda body: {}, threading.Event()
        self.server.written, self.server.stale = 0, False
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.hang.set)
        self.folder = Path(tempfile.mkdtemp(prefix="headway-plugins-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "package.json").write_text('{"type": "module"}')
        (self.folder / "kilo").mkdir()
        (self.folder / "kilo/headway.js").write_text(plugin("opencode/headway.js"))
        # pi strips the types itself, as newer nodes do.
        (self.folder / "headway.ts").write_text(plugin("pi/headway.ts"))
        subprocess.run([ESBUILD, f"{self.folder}/headway.ts", "--log-level=warning", f"--outfile={self.folder}/headway.mjs"], check=True)
        self.environment = clean_environment(HEADWAY_URL=f"http://127.0.0.1:{self.server.server_port}", HEADWAY_TOKEN="hw_a_b",
                                             HEADWAY_SESSION="named", HTTP_PROXY="http://127.0.0.1:9", http_proxy="http://127.0.0.1:9")

    def node(self, script: str, *arguments) -> list:
        (self.folder / "test.mjs").write_text(script)
        done = subprocess.run([NODE, "test.mjs", *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=patient(60), check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def bodies(self) -> list:
        return [body for _, _, body in self.server.got]

    def test_opencode_tells_and_obeys(self):
        answers = {"prompt": {"context": "look again", "system": "budget 50 %"}, "c1": {"edit": {"command": "make -j2"}, "context": "later"},
                   "c2": {"deny": "not this"}, "c3": {"deny": "over", "stop": "over"}}
        self.server.answer = lambda body: (answers["prompt"] if body["event"] == "prompt" else answers.get(body.get("call"), {}) if
                                           body["event"] == "pre" else {"context": "try sudo"} if body["event"] == "post" and body["call"] == "c1" else {})
        said = self.node(OPENCODE)
        self.assertEqual(said, [
            {"second": 0}, {"system": ["budget 50 %", "look again", "budget 50 %"]}, {"args": {"command": "make -j2"}},
            {"output": "said\n\ntry sudo", "metadata": {"exit": 2}}, {"denied": "not this"}, {"stopped": "over", "aborted": ["ses_1"]}])
        self.assertEqual([(b["event"], b["session"]) for b in self.bodies()], [
            ("start", "ses_1"), ("prompt", "ses_1"), ("pre", "ses_1"), ("post", "ses_1"), ("pre", "ses_1"), ("post", "ses_1"), ("usage", "ses_1"),
            ("substart", "ses_2"), ("subend", "ses_2"), ("pre", "ses_1"), ("error", "ses_1"), ("stop", "ses_1")])
        bodies = self.bodies()
        self.assertEqual({b["agent"] for b in bodies}, {"kilo"})
        self.assertEqual(bodies[0]["agent_version"], "1.18.33")
        self.assertEqual((bodies[3]["ok"], bodies[3]["error"], bodies[3]["exit_code"]), (False, "said", 2))
        self.assertEqual((bodies[5]["call"], bodies[5]["class"]), ("c2", "denied"))
        self.assertEqual(bodies[6]["usage"], {"input_tokens": 100, "cached_tokens": 5, "cache_write_tokens": 0, "output_tokens": 20,
                                              "reasoning_tokens": 0, "model": "m", "cost": 0.5})
        self.assertEqual(bodies[7]["parent"], "ses_1")
        path, headers, _ = self.server.got[0]
        self.assertEqual((path, headers["Authorization"], headers["X-Headway-Session"]), ("/v1/hooks/generic", "Bearer hw_a_b", "named"))
        self.assertRegex(headers["X-Headway-Agent-Pid"], r"^\d+$")
        self.assertRegex(headers["X-Headway-Agent-Start"], r"^\d+$")
        self.assertEqual(self.server.got[7][1]["X-Headway-Session"], "named", "a sub-agent is a session below that")

    def test_pi_tells_and_obeys(self):
        answers = {"c1": {"context": "slow down"}, "c2": {"deny": "not this"}, "c3": {"deny": "over", "stop": "over"}}
        self.server.answer = lambda body: ({"system": "budget 50 %"} if body["event"] == "prompt" else answers.get(body.get("call"), {}) if
                                           body["event"] == "pre" else {})
        said = self.node(PI)
        self.assertEqual(said[:2], [{"systemPrompt": "base\n\nbudget 50 %"}, None])
        self.assertEqual(said[2]["content"][-1], {"type": "text", "text": "slow down"})
        self.assertEqual(said[3:], [{"block": True, "reason": "not this"}, None, {"block": True, "reason": "over"}, 1])
        bodies = self.bodies()
        self.assertEqual([b["event"] for b in bodies], ["start", "prompt", "pre", "post", "pre", "post", "usage", "said", "pre", "post", "stop", "end"])
        self.assertEqual((bodies[3]["ok"], bodies[3]["exit_code"]), (False, 3))
        self.assertEqual(bodies[5]["class"], "denied")
        self.assertEqual(bodies[6]["usage"], {"input_tokens": 100, "cached_tokens": 7, "cache_write_tokens": 0, "output_tokens": 20, "cost": 0.25})
        self.assertEqual({b["session"] for b in bodies}, {"one"})

    def test_opencode_tells_the_moments_that_matter(self):
        soon = self.node(MOMENTS)[0]["soon"]
        bodies = self.bodies()
        first, second = (b["usage"] for b in bodies if b["event"] == "usage")
        self.assertEqual(first, {"input_tokens": 10, "cached_tokens": 1000, "cache_write_tokens": 20000, "output_tokens": 20,
                                 "reasoning_tokens": 500, "cost": 0.5})
        self.assertNotIn("cost", second, "a model without a price")
        dialogs = [(b["event"], b.get("text")) for b in bodies if b["event"] in ("asks", "answered")]
        self.assertEqual(dialogs, [("asks", "bash rm -rf build"), ("asks", "Which?"), ("answered", None), ("asks", "And?"), ("answered", None)])
        errors = [b for b in bodies if b["event"] == "error"]
        self.assertEqual([b["class"] for b in errors], ["retry", "FreeUsageLimitError", "ProviderAuthError"])
        self.assertEqual((errors[0]["retry_at"], errors[0]["ends_turn"], errors[0]["text"]), (soon, False, "Rate limit exceeded"))
        self.assertEqual((errors[1]["status"], errors[1]["retryable"], errors[1]["ends_turn"]), (429, False, True))
        self.assertEqual(errors[1]["retry_at"] // 1000, soon // 1000 + 7200 + (round(soon / 1000) - soon // 1000), "the latest of all")
        self.assertNotIn("retry_at", errors[2])
        self.assertEqual([b["event"] for b in bodies].count("interrupt"), 1)
        self.assertEqual([b["text"] for b in bodies if b["event"] == "said"], ["an answer"], "half an answer is none")
        self.assertEqual([b.get("class") for b in bodies if b["event"] == "post"], ["denied", "denied", "denied", "cancelled", None])
        prompts = [(b["text"], b["synthetic"], b.get("wake_up")) for b in bodies if b["event"] == "prompt"]
        self.assertEqual(prompts, [("fix it", False, None), ("Continue if you have next steps", True, True)])

    def test_pi_tells_the_moments_that_matter(self):
        before = time.time()
        self.node(PI_MOMENTS)
        bodies = self.bodies()
        self.assertEqual([b["event"] for b in bodies],
                         ["prompt", "usage", "said", "asks", "answered", "usage", "error", "turn", "usage", "error", "error",
                          "interrupt", "prompt", "end"])
        self.assertEqual(bodies[1]["usage"], {"input_tokens": 10, "cached_tokens": 1000, "cache_write_tokens": 20000, "output_tokens": 20, "cost": 0.5})
        self.assertEqual(bodies[3]["text"], "Run it?")
        tries = [(b["ends_turn"], b["status"], b["text"]) for b in bodies if b["event"] == "error"]
        self.assertEqual(tries, [(False, 429, "429 slow down"), (False, 429, "429 slow down"), (True, 429, "429 slow down")])
        self.assertAlmostEqual(bodies[10]["retry_at"] / 1000, before + 60, delta=patient(30))
        self.assertEqual((bodies[12]["synthetic"], bodies[12]["wake_up"]), (True, True))

    def ends(self):
        """How each session's turn ended: the text of an error beside the event that ends it."""
        found = {}
        for body in self.bodies():
            if body["event"] in ("error", "stop", "subend", "interrupt"):
                found.setdefault(body["session"], []).append((body["event"], body["text"]) if body["event"] == "error" else body["event"])
        return found

    def test_a_turn_of_opencode_without_an_answer_that_is_whole_is_no_clean_stop(self):
        self.node(TURNS)
        cut_off = ("error", "its last answer was cut off: the model's limit of output")
        self.assertEqual(self.ends(), {
            "stop": ["stop"], "work": ["stop"], "person": ["stop"], "calls": ["stop"], "half": ["stop"], "none": ["stop"],
            "aborted": ["interrupt", "stop"], "failed": [("error", "overloaded"), "stop"],
            "length": [cut_off, "stop"], "child": [cut_off, "subend"], "unknown": [("error", 'it ended with the reason "unknown"'), "stop"],
            "filter": [("error", 'it ended with the reason "content-filter"'), "stop"],
            "empty": [("error", "it ended without an answer or a call"), "stop"]})
        self.assertEqual({b["ends_turn"] for b in self.bodies() if b["event"] == "error"}, {True})

    def test_a_turn_of_pi_without_an_answer_that_is_whole_is_no_clean_stop(self):
        self.node(PI_TURNS)
        self.assertEqual(self.ends(), {
            "stop": ["stop"], "work": ["stop"], "length": [("error", "its last answer was cut off: the model's limit of output")],
            "calls": [("error", 'it ended with the reason "toolUse"')], "odd": [("error", 'it ended with the reason "weird"')],
            "empty": [("error", "it ended without an answer or a call")], "absent": [("error", "it ended without an answer")],
            "none": [("error", "it ended without an answer")]})
        self.assertEqual({b["ends_turn"] for b in self.bodies() if b["event"] == "error"}, {True})

    def test_a_held_call_that_its_user_aborts_is_cancelled_and_holds_no_agent(self):
        self.server.answer = lambda body: [" ", 3.0, '{"deny": "late"}'] if body["event"] == "pre" else {}
        said = self.node(ABORTED)[0]
        self.assertTrue(said["block"])
        self.assertLess(said["ms"], 2_500 * SLOW)
        calls = [(b["call"], b["tool"], b["args"], b.get("ok"), b.get("class")) for b in self.bodies() if b["event"] == "post"]
        self.assertEqual(calls, [("c1", "deploy", {"to": "a"}, False, "cancelled"), ("c2", "deploy", {"to": "b"}, False, "cancelled")])

    def test_a_daemon_that_is_away_costs_nothing(self):
        """Counted, since a wall clock measures the load of the machine: one connection in two seconds, and no other call waits for
        anything, not even for a turn of the event loop. The rest is processor time."""
        self.environment["HEADWAY_URL"] = "http://127.0.0.1:9"
        said = self.node(AWAY, "50")
        self.assertEqual([one.pop("name") for one in said], ["opencode", "pi"])
        for one in said:
            self.assertLess(one.pop("ms"), 50 * 5 * SLOW)
            self.assertEqual(one, {"tried": [0, 2000, 4000], "waited": []})

    def test_nothing_is_written_out_for_a_daemon_that_is_away(self):
        self.environment["HEADWAY_URL"] = "http://127.0.0.1:9"
        self.assertEqual(self.node(ABSENT), [{"written": 0}])

    def test_each_text_is_bounded_and_what_is_newer_is_kept(self):
        whole = "\u00e9" * 3000
        self.server.answer = lambda body: ({"context": f"{whole[:200]} {body['text']}", "system": whole} if body["event"] == "prompt" else
                                           {"edit": {"x": whole}} if body.get("call") == "edited" else
                                           {"deny": whole} if body["event"] == "pre" else {"context": whole})
        said = self.node(LONG)
        self.assertEqual(len(said), 7)
        for text in [text for texts in said for text in texts]:
            self.assertLessEqual(len(text.encode()), 2000)
            self.assertNotIn("\ufffd", text)
        opencode_system, opencode_deny, opencode_after, pi_system, pi_deny, pi_edit, pi_result = said
        for system, words in (opencode_system[:2], (pi_system[0], "\n\n".join(pi_system[1:]))):
            self.assertTrue(system.endswith("\u00e9\u2026"))
            self.assertTrue(words.startswith("\u2026") and words.endswith(" go 29"), words)
        for text in (opencode_deny, opencode_after, pi_deny, pi_result):
            self.assertRegex(text[0], "\u00e9\u2026$")
        self.assertIn("too long to repeat", pi_edit[0])

    def test_what_is_sent_is_bounded_and_equal_ones_stay_equal(self):
        self.node(HUGE)
        for bodies in (self.bodies()[:4], self.bodies()[4:]):
            self.assertEqual([b["event"] for b in bodies], ["pre", "post", "pre", "post"])
            for body in bodies:
                self.assertLess(len(json.dumps(body)), 3 << 20)
            (pre, post, other, unreadable) = bodies
            self.assertEqual(pre["args"], post["args"])
            whole = json.dumps({"content": "x" * 20_000_000}, separators=(",", ":"))
            self.assertIn(hashlib.sha256(whole.encode()).hexdigest(), pre["args"]["of"])
            self.assertGreater(len(json.dumps(pre["args"])), 64 << 10, "an approval of it is refused")
            self.assertNotEqual(pre["args"], other["args"])
            self.assertRegex(post["result"], r"^y+… \(20000001 characters, sha256 [0-9a-f]{64}\) …y+z$")
            self.assertIn("circular", unreadable["args"]["unreadable"])

    def test_the_daemon_is_named_as_everywhere(self):
        at = f"127.0.0.1:{self.server.server_port}"
        for url in (f"HTTP://{at}/", at, f"{at}//", f"http://{at}/base/"):
            self.environment["HEADWAY_URL"] = url
            self.node(CALLS, "1")
        self.assertEqual([path for path, _, _ in self.server.got], ["/v1/hooks/generic"] * 6 + ["/base/v1/hooks/generic"] * 2)

    def test_an_answer_without_end_is_not_read_to_its_end(self):
        self.server.answer = lambda body: ['{"context":"'] + ["x" * 65536] * 1024
        self.node(CALLS, "3")
        self.assertEqual(len(self.server.got), 1, "it is away then")
        self.assertLess(self.server.written, 32 << 20)

    def test_members_of_another_type_are_no_answer(self):
        self.server.answer = lambda body: {"context": ["x"], "system": True, "edit": [1]}
        self.node(CALLS, "2")
        self.assertEqual(len(self.server.got), 4)

    def test_a_refusal_is_one_in_any_words(self):
        for answer in ({"deny": {"a": 1}}, {"deny": True}, {"stop": 7}):
            with self.subTest(answer):
                self.server.answer = lambda body, answer=answer: answer
                self.assertEqual(self.node(REFUSED), ["The daemon refuses this call, in words that are no text."] * 4)

    def test_a_connection_that_was_closed_while_it_rested_is_no_daemon_that_is_away(self):
        self.server.stale = True
        self.server.answer = lambda body: {"deny": "heard"} if body["event"] == "pre" else {}
        self.assertEqual(self.node(REFUSED), ["heard"] * 4)

    def test_a_hold_that_breaks_off_is_asked_about_again(self):
        """As by a proxy that lets no reply take longer: the daemon is there."""
        asked = {}

        def answer(body):
            times = asked.setdefault((body["agent"], body["session"]), [])
            times.append(body.get("event_id"))
            ends = [" ", 0.1, None] if body["session"] == "s" else [" ", 0.1, " "]
            return {} if body["event"] != "pre" else [ends, 503, ["<html>"], ends, {"deny": "no"}][len(times) - 1]
        self.server.answer = answer
        self.assertEqual(self.node(REFUSED), ["no"] * 4)
        for (agent, session), times in asked.items():
            self.assertEqual(len(set(times[:5])), 1, (agent, session, times))

    def test_a_session_that_the_token_does_not_cover_takes_no_other_one_with_it(self):
        self.server.answer = lambda body: 403 if body["session"] == "other" else {"deny": "heard"} if body["event"] == "pre" else {}
        self.assertEqual(self.node(REFUSED), ["ran", "ran", "heard", "heard"])

    def test_a_command_that_a_signal_ended_has_failed(self):
        self.node(SIGNALS)
        self.assertEqual([(b["ok"], b.get("exit_code"), b.get("class"), "error" in b) for b in self.bodies()], [
            (True, None, None, False), (False, 3, None, True), (False, None, None, True), (True, None, None, False),
            (True, None, None, False), (False, None, "cancelled", True)])

    def test_nothing_waits_for_all_reports_before_it(self):
        """A daemon that is slow, but never silent."""
        self.server.answer = lambda body: [" ", 1.0, "{}"] if body["event"] in ("error", "asks") else {}
        times = self.node(BEHIND)[0]
        self.assertLess(max(times.values()), 4_000 * SLOW, times)
        self.assertLess(max(times["before"], times["call"]), 2_500 * SLOW, times)

    def test_opencode_is_asked_for_the_parent_of_a_session_that_began_before(self):
        said = self.node(KIN)[0]
        self.assertEqual(said["got"], ["ses_c", "ses_m", "ses_broken", "ses_gone", "ses_deaf"])
        self.assertLess(said["ms"], 900 * SLOW, "it is not asked again while it does not answer")
        self.assertEqual([(b["event"], b["session"], b.get("parent")) for b in self.bodies()[:4]], [
            ("pre", "ses_c", "ses_m"), ("pre", "ses_m", None), ("pre", "ses_c", "ses_m"), ("subend", "ses_c", "ses_m")])
        self.assertEqual([b.get("parent") for b in self.bodies()[4:]], [None] * 8)

    def test_a_call_is_held_as_long_as_bytes_come(self):
        self.environment["HEADWAY_HOOK_SILENCE_MS"] = str(int(1000 * SLOW))
        self.server.answer = lambda body: [" ", 0.6, " ", 0.6, " ", 0.6, "{}"] if body["event"] == "pre" else {}
        self.assertGreater(self.node(CALLS, "1")[0]["ms"], 1500)
        self.assertEqual(len(self.server.got), 2)

    def test_a_daemon_that_hangs_holds_one_call_only(self):
        self.environment["HEADWAY_HOOK_SILENCE_MS"] = "300"
        self.server.answer = lambda body: None
        start = time.monotonic()
        self.assertLess(self.node(CALLS, "5")[0]["ms"], 2000 * SLOW)
        self.assertLess(time.monotonic() - start, 20 * SLOW)
        self.assertEqual(len(self.server.got), 1)

    def test_a_daemon_that_hangs_is_left_alone_for_a_minute(self):
        self.environment["HEADWAY_HOOK_SILENCE_MS"] = "300"
        self.server.answer = lambda body: None
        self.node(LATER)
        self.assertEqual(len(self.server.got), 1)

    def test_nonsense_is_no_answer(self):
        for nonsense in (["{"], ["null"], ["[1]"], [""], ['"x"']):
            with self.subTest(nonsense[0]):
                self.server.answer = lambda body, parts=nonsense: parts if parts[0] else []
                self.node(CALLS, "2")
                self.assertGreaterEqual(len(self.server.got), 4)
                self.server.got.clear()

    def test_no_url_at_all(self):
        self.environment["HEADWAY_URL"] = "nonsense"
        self.node(CALLS, "2")


if __name__ == "__main__":
    unittest.main()
