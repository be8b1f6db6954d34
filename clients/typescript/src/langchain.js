// SPDX-License-Identifier: Apache-2.0
// LangChain.js 1.x: `createAgent({model, tools, middleware: [supervise(session)]})`.
import { HumanMessage, SystemMessage, ToolMessage, createMiddleware } from 'langchain';
import { isInterrupt } from './json.js';
import { answered, asking } from './model.js';

const textIn = (content) => (typeof content === 'string' ? content
  : Array.isArray(content) ? content.map((part) => (typeof part === 'string' ? part : part?.text ?? '')).join('') : '');

const refusal = ({ toolCall }, content) => new ToolMessage({ content, tool_call_id: toolCall.id ?? '', name: toolCall.name, status: 'error' });

const withWords = (request, { advice, budget }) => {
  const more = {};
  if (advice) more.messages = [...request.messages, new HumanMessage(advice)];
  if (budget) more.systemMessage = request.systemMessage?.concat ? request.systemMessage.concat(`\n\n${budget}`) : new SystemMessage(budget);
  return { ...request, ...more };
};

// LangChain gives the model the errors of tools by itself, but not once a middleware wraps the calls. An interrupt is none.
const failure = async (request, call, error, errors) => {
  await call.failed(error);
  if (isInterrupt(error)) throw error;
  if (errors === 'throw' || request.runtime?.signal?.aborted) throw error;
  return refusal(request, `${error}\n Please fix your mistakes.`);
};

/** The middleware of one session. `errors`: `message` (as without it, the model gets them) or `throw` (they end the run). */
export const supervise = (session, { errors = 'message' } = {}) => createMiddleware({
  name: 'headway',

  beforeModel: { canJumpTo: ['end'], hook: () => (session.stopped === null ? undefined : { jumpTo: 'end' }) },

  wrapModelCall: (request, handler) => asking(session, async (words) => {
    const message = await handler(withWords(request, words));
    answered(session, textIn(message?.content), message?.usage_metadata);
    return message;
  }),

  wrapToolCall: async (request, handler) => {
    const { toolCall } = request;
    const call = await session.begin(toolCall.name, toolCall.args, { call: toolCall.id, signal: request.runtime?.signal });
    if (call.denied !== null || call.stop !== null) return refusal(request, call.stop ?? call.denied);
    let message;
    try {
      message = await handler(call.edited ? { ...request, toolCall: { ...toolCall, args: call.args } } : request);
    } catch (error) {
      return failure(request, call, error, errors);
    }
    // Another middleware may have made a message of it.
    if (message?.status === 'error') await call.failed(textIn(message.content));
    else await call.finished(message?.content ?? message);
    return message;
  },
});

export default supervise;
