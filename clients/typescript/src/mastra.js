// SPDX-License-Identifier: Apache-2.0
// Mastra: `new Agent({model, tools: hw.tools(tools), inputProcessors: [hw.processor], outputProcessors: [hw.processor]})`, with
// `hw = supervise(session)`.
import { answered } from './model.js';

const supervisedTool = (session, key, tool) => {
  if (typeof tool?.execute !== 'function') return tool;
  const original = tool.execute;
  const copy = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
  copy.execute = (input, context) => session.call(tool.id ?? key, input, (args) => original.call(tool, args, context),
    { call: context?.agent?.toolCallId, signal: context?.abortSignal });
  return copy;
};

/** The parts of one session. */
export const supervise = (session) => ({
  /** The tools, each call of which is supervised. */
  tools: (originals) => Object.fromEntries(Object.entries(originals).map(([key, tool]) => [key, supervisedTool(session, key, tool)])),
  /** As input and as output processor: advice, budget and stop before each request, usage behind it. */
  processor: {
    id: 'headway',
    name: 'headway',
    processInputStep: ({ systemMessages, abort }) => {
      if (session.stopped !== null) abort(session.stopped);
      const words = [session.budgetBlock(), session.advice()].filter(Boolean).join('\n\n');
      return words ? { systemMessages: [...systemMessages, { role: 'system', content: words }] } : undefined;
    },
    processOutputStep: ({ text, usage, messages }) => {
      answered(session, text, usage);
      return messages;
    },
  },
});

export default supervise;
