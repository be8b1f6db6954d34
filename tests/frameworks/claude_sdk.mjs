// SPDX-License-Identifier: Apache-2.0
// The Claude Agent SDK, whose hooks go to the daemon by themselves: its tools and its loop are its own, so the driver's cases that need
// a tool of ours are left out. Not run without HEADWAY_TEST_CLAUDE=1, as its terms want a person's consent.
import fs from 'node:fs';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { settings } from 'headway-agent/claude';

export const streams = false;

/** The cases of this agent: `tools` are those of the driver. */
export const cases = ({ assert, decide, free, model, strict, until, work }) => {
  const play = async (hw, main) => {
    model.script(main);
    const home = fs.mkdtempSync(`${work}/home-`);
    const stream = query({ prompt: 'do the scripted work', options: { cwd: home, settingSources: [],
      canUseTool: async (_tool, input) => ({ behavior: 'allow', updatedInput: input }),  // root may not bypass permissions
      settings: settings({ url: hw.url }), env: { ...process.env, HOME: home, ANTHROPIC_BASE_URL: model.baseURL.replace(/\/v1$/, ''), ANTHROPIC_API_KEY: 'dummy' } } });
    for await (const message of stream) if (message.type === 'result') return message;
    return null;
  };
  const session = (hw) => until(async () => (await hw.request('GET', '/v1/sessions?limit=1')).sessions[0], 'a session');
  return {
    'advice of a loop reaches the model': async () => {
      await play(free, Array(6).fill({ shell: 'cat /nonexistent' }));
      assert.ok(model.requests().some((body) => body.includes('Headway supervises this session')));
      return 'yes';
    },
    'a failure is seen as failure': async () => {
      const { id } = await session(free);
      assert.ok((await free.events(id)).some(({ type, data }) => type === 'tool.finished' && data.ok === false));
      return 'yes';
    },
    'a person rejects: not run, the model has the reason': async () => {
      const done = play(strict, [{ shell: 'touch made' }]);
      const s = await session(strict);
      await decide({ s }, { decision: 'reject', reason: 'use the staging host instead' });
      await done;
      assert.ok(model.requests().at(-1).includes('use the staging host instead'));
      return 'yes';
    },
  };
};
