// SPDX-License-Identifier: Apache-2.0
// The example of the README as it stands there, in a real graph: its free names are given here.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, MemorySaver, interrupt } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { session as open } from 'headway-agent';
import { z } from 'zod';

const PROMPT = 'do the scripted work';

const example = () => {
  const home = path.dirname(path.dirname(createRequire(import.meta.url).resolve('headway-agent')));
  const readme = fs.readFileSync(path.join(home, 'README.md'), 'utf8');
  return /^```js langgraph\n([^]*?)^```/m.exec(readme)[1].replace(/^import .*\n/gm, '');
};

const graph = (given) => {
  const all = { HumanMessage, tool, Command, MemorySaver, interrupt, createReactAgent, schema: z.object({ command: z.string() }), prompt: PROMPT, ...given };
  const body = Object.getPrototypeOf(async () => {}).constructor;
  return new body(...Object.keys(all), `${example()}\nreturn state.messages.at(-1).content;`)(...Object.values(all));
};

export const cases = ({ assert, free, model }) => {
  const llm = () => new ChatOpenAI({ model: 'fake-model', apiKey: 'dummy', configuration: { baseURL: model.baseURL }, useResponsesApi: false, maxRetries: 0 });
  const played = async (script, execute) => {
    model.script(script);
    const session = await open({ url: free.url, goal: PROMPT });
    const asked = [];
    const answer = async ([{ value }]) => { asked.push(value); return true; };
    const text = await graph({ session, llm: llm(), execute, answer });
    await session.end();
    const events = await free.events(session.id);
    const calls = events.filter(({ type }) => type === 'tool.finished').map(({ data }) => data);
    return { asked, calls, text, state: await free.session(session.id), requests: model.requests() };
  };
  return {
    'interrupt() is no failure': async () => {
      const ran = [];
      const { asked, calls, text, state } = await played([1, 2, 3, 4].map((n) => ({ shell: `step ${n}` })), async ({ command }) => { ran.push(command); return 'ok'; });
      assert.deepEqual(asked, [1, 2, 3, 4].map((n) => `run step ${n}?`));
      assert.deepEqual(ran, [1, 2, 3, 4].map((n) => `step ${n}`));
      assert.equal(text, 'All done.');
      assert.equal(calls.filter(({ error }) => error?.class === 'cancelled').length, 4);
      assert.equal(calls.filter(({ ok }) => ok).length, 4);
      assert.equal(state.outcome, 'completed');
      return `${asked.length} interrupts, 0 failures`;
    },
    'advice of a loop reaches the model': async () => {
      const { requests } = await played(Array(6).fill({ shell: 'make' }), async () => { throw new Error('no rule to make target'); });
      const first = requests.findIndex((body) => body.includes('Headway supervises this session'));
      assert.ok(first > 0, `no advice in ${requests.length} requests`);
      return `in request ${first + 1}`;
    },
    usage: async () => {
      const { state } = await played([{ shell: 'a' }, { shell: 'b' }], async () => 'ok');
      assert.equal(state.used.tokens, 360);
      return '3 x 120 tokens';
    },
  };
};
