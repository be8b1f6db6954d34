// SPDX-License-Identifier: Apache-2.0
import { ChatOpenAI } from '@langchain/openai';
import { supervise } from 'headway-agent/langchain';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

export const streams = true;

export const play = async ({ session, baseURL, execute, prompt, stream }) => {
  const agent = createAgent({ model: new ChatOpenAI({ model: 'fake-model', apiKey: 'dummy', configuration: { baseURL }, useResponsesApi: false, maxRetries: 0 }),
    tools: [tool(execute, { name: 'bash', description: 'runs', schema: z.object({ command: z.string() }) })], middleware: [supervise(session)] });
  const input = { messages: [{ role: 'user', content: prompt }] };
  if (!stream) return (await agent.invoke(input, { recursionLimit: 100 })).messages.at(-1).content;
  let last;
  let pieces = 0;
  for await (const [mode, state] of await agent.stream(input, { recursionLimit: 100, streamMode: ['messages', 'values'] })) {
    if (mode === 'values') last = state;
    else ++pieces;
  }
  if (!pieces) throw new Error('nothing was streamed');
  return last.messages.at(-1).content;
};
