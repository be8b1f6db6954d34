// SPDX-License-Identifier: Apache-2.0
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { supervise } from 'headway-agent/openai-agents';
import OpenAI from 'openai';
import { z } from 'zod';

setTracingDisabled(true);
export const streams = true;

export const play = async ({ session, baseURL, execute, prompt, stream }) => {
  const hw = supervise(session);
  const openAIClient = new OpenAI({ baseURL, apiKey: 'dummy', maxRetries: 0 });
  const runner = new Runner({ modelProvider: hw.provider(new OpenAIProvider({ openAIClient, useResponses: false })) });
  const agent = new Agent({ name: 'coder', model: 'fake-model', instructions: 'work',
    tools: [tool(hw.tool({ name: 'bash', description: 'runs', parameters: z.object({ command: z.string() }), execute }))] });
  const result = await runner.run(agent, prompt, { stream, maxTurns: 30, signal: session.signal });
  if (stream) await result.completed;
  return result.finalOutput;
};
