// SPDX-License-Identifier: Apache-2.0
// Versions 6 and 7 of the AI SDK.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import * as ai from 'ai';
import { supervise } from 'headway-agent/ai-sdk';
import { z } from 'zod';

const { ToolLoopAgent, generateText, streamText, tool } = ai;
const steps = ai.isStepCount ?? ai.stepCountIs; // version 7 calls it so

export const streams = true;

export const play = async ({ session, baseURL, execute, prompt, stream, agent }) => {
  const provider = createOpenAICompatible({ name: 'fake', baseURL, apiKey: 'dummy', includeUsage: true });
  const options = supervise(session, { model: provider('fake-model'), stopWhen: steps(30), maxRetries: 0,
    tools: { bash: tool({ description: 'runs', inputSchema: z.object({ command: z.string() }), execute }) } });
  if (agent) return (await new ToolLoopAgent(options).generate({ prompt })).text;
  if (!stream) return (await generateText({ ...options, prompt, abortSignal: session.signal })).text;
  let failure;
  const result = streamText({ ...options, prompt, abortSignal: session.signal, onError: ({ error }) => { failure = error; } });
  let text = '';
  for await (const part of result.textStream) text += part;
  if (failure) throw failure;
  return text;
};
