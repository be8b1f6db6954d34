// SPDX-License-Identifier: Apache-2.0
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { supervise } from 'headway-agent/mastra';
import { z } from 'zod';

export const streams = true;

export const play = async ({ session, baseURL, execute, prompt, stream }) => {
  const hw = supervise(session);
  const provider = createOpenAICompatible({ name: 'fake', baseURL, apiKey: 'dummy', includeUsage: true });
  const agent = new Agent({ id: 'coder', name: 'coder', instructions: 'work', model: provider('fake-model'), maxRetries: 0,
    tools: hw.tools({ bash: createTool({ id: 'bash', description: 'runs', inputSchema: z.object({ command: z.string() }), execute }) }),
    inputProcessors: [hw.processor], outputProcessors: [hw.processor] });
  if (!stream) return (await agent.generate(prompt, { maxSteps: 30 })).text;
  const result = await agent.stream(prompt, { maxSteps: 30 });
  let text = '';
  for await (const part of result.textStream) text += part;
  return text;
};
