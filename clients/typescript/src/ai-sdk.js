// SPDX-License-Identifier: Apache-2.0
// The AI SDK, versions 6 and 7: `generateText(supervise(session, {model, tools, prompt}))`; also streamText, and new ToolLoopAgent().
import { answered, asking, dressed, once } from './model.js';

const wrapped = new WeakSet();

// A system message in the middle is refused by some providers; what is said last stands as the user's.
const withWords = (options, { advice, budget }) => {
  let prompt = options.prompt;
  if (!Array.isArray(prompt)) return options;
  if (budget) {
    const at = prompt.findIndex(({ role, content }) => role === 'system' && typeof content === 'string');
    prompt = at < 0 ? [{ role: 'system', content: budget }, ...prompt]
      : prompt.map((message, i) => (i === at ? { ...message, content: `${message.content}\n\n${budget}` } : message));
  }
  if (advice) prompt = [...prompt, { role: 'user', content: [{ type: 'text', text: advice }] }];
  return prompt === options.prompt ? options : { ...options, prompt };
};

const textIn = (content) => (Array.isArray(content) ? content.filter(({ type }) => type === 'text').map(({ text }) => text).join('') : '');

const heard = (session, stream) => {
  let text = '';
  return stream.pipeThrough(new TransformStream({
    transform: (part, controller) => {
      if (part?.type === 'text-delta') text = (text + (part.delta ?? part.textDelta ?? '')).slice(0, 64 << 10);
      if (part?.type === 'finish') answered(session, text, part.usage);
      if (part?.type === 'error') session.error(part.error);
      controller.enqueue(part);
    },
  }));
};

/** The model with advice in its requests and its usage reported. */
export const model = (session, original) => {
  if (original === null || typeof original !== 'object' || typeof original.doGenerate !== 'function') {
    if (typeof original === 'string') process.emitWarning('headway: a model by name is not supervised, only its tools; give the object of a provider',
      { type: 'HeadwayWarning', code: 'headway_model' });
    return original;
  }
  return once(wrapped, original, () => dressed(original, {
    doGenerate: (options) => asking(session, async (words) => {
      const result = await original.doGenerate(withWords(options, words));
      answered(session, textIn(result?.content), result?.usage);
      return result;
    }),
    doStream: (options) => asking(session, async (words) => {
      const result = await original.doStream(withWords(options, words));
      return { ...result, stream: heard(session, result.stream) };
    }),
  }));
};

// The SDK takes the last value of a function that gives an iterator for the result.
const lastOf = async (values) => {
  let last;
  for await (const value of values) last = value;
  return last;
};

const supervisedTool = (session, name, tool) => {
  if (typeof tool?.execute !== 'function' || wrapped.has(tool)) return tool;
  const execute = (input, options) => {
    const result = tool.execute(input, options);
    return typeof result?.[Symbol.asyncIterator] === 'function' ? lastOf(result) : result;
  };
  if (tool.execute.constructor?.name !== 'AsyncFunction' && tool.execute.constructor?.name !== 'Function') {
    // A generator, whose values are preliminary results. The SDK's options are no argument of the call.
    return dress(tool, (input, options) => session.tool(name, async function* execute(args) { return yield* tool.execute(args, options); },
      { call: options?.toolCallId, signal: options?.abortSignal })(input));
  }
  return dress(tool, (input, options) => session.call(name, input, (args) => execute(args, options),
    { call: options?.toolCallId, signal: options?.abortSignal }));
};

const dress = (tool, execute) => {
  const copy = { ...tool, execute };
  wrapped.add(copy);
  return copy;
};

/** The tools, each call of which is supervised. A refusal is an error of the tool, whose message the model gets. */
export const tools = (session, originals) => Object.fromEntries(Object.entries(originals ?? {})
  .map(([name, tool]) => [name, supervisedTool(session, name, tool)]));

/** The options of generateText, streamText or ToolLoopAgent with model and tools supervised. */
export const supervise = (session, options) => ({ ...options,
  ...(options.model === undefined ? {} : { model: model(session, options.model) }),
  ...(options.tools === undefined ? {} : { tools: tools(session, options.tools) }) });

export default supervise;
