// SPDX-License-Identifier: Apache-2.0
// OpenAI Agents JS: `tool(hw.tool({name, parameters, execute}))` and `new Runner({modelProvider: hw.provider(provider)})`, or
// `new Agent({model: hw.model(model)})`, with `hw = supervise(session)`.
import { Stop } from './errors.js';
import { answered, asking, dressed, once } from './model.js';

const wrapped = new WeakSet();

const withWords = (request, { advice, budget }) => {
  const { systemInstructions, input } = request;
  const more = {};
  if (budget) more.systemInstructions = systemInstructions ? `${systemInstructions}\n\n${budget}` : budget;
  if (advice) more.input = [...(typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input),
    { type: 'message', role: 'user', content: advice }];
  return { ...request, ...more };
};

const textIn = (output) => (Array.isArray(output) ? output : []).flatMap((item) => (Array.isArray(item?.content) ? item.content : []))
  .map((part) => (part?.type === 'output_text' ? part.text : '')).join('');

const superviseModel = (session, original) => once(wrapped, original, () => dressed(original, {
  getResponse: (request) => asking(session, async (words) => {
    const response = await original.getResponse(withWords(request, words));
    answered(session, textIn(response?.output), response?.usage);
    return response;
  }),
  async* getStreamedResponse(request) {
    if (session.signal.aborted) throw session.signal.reason;
    const advice = session.peek();
    try {
      for await (const event of original.getStreamedResponse(withWords(request, { advice, budget: session.budgetBlock() }))) {
        if (event?.type === 'response_done') {
          session.taken(advice);
          answered(session, textIn(event.response?.output), event.response?.usage);
        }
        yield event;
      }
    } catch (error) {
      session.error(error);
      throw error;
    }
  },
}));

/** The parts of one session. */
export const supervise = (session) => ({
  /** Options for `tool()` whose calls are supervised. A refusal is the call's result, as the SDK hides the words of errors. */
  tool: (options) => ({ ...options,
    execute: async (input, context, details) => {
      const call = await session.begin(options.name, input, { call: details?.toolCall?.callId, signal: details?.signal });
      if (call.stop !== null) return call.stop; // the next request to the model throws
      if (call.denied !== null) return call.denied;
      let result;
      try {
        result = await options.execute(call.args, context, details);
      } catch (error) {
        await call.failed(error);
        throw error;
      }
      await call.finished(result);
      return result;
    } }),
  /** A model, with advice in its requests and its usage reported. */
  model: (original) => superviseModel(session, original),
  /** A provider whose models are so. */
  provider: (original) => dressed(original, { getModel: async (name) => superviseModel(session, await original.getModel(name)) }),
});

export { Stop };
export default supervise;
