// SPDX-License-Identifier: Apache-2.0
// Code shared by the adapters: words for the model's next request, and the use of its answer.

/** A count in one of the shapes of frameworks. */
const count = (value) => (typeof value === 'number' ? value : typeof value?.total === 'number' ? value.total : undefined);

/** The usage of a framework as that of the API; undefined where there is none. */
export const usageOf = (usage) => {
  const input = count(usage?.inputTokens ?? usage?.input_tokens ?? usage?.promptTokens ?? usage?.prompt_tokens);
  const output = count(usage?.outputTokens ?? usage?.output_tokens ?? usage?.completionTokens ?? usage?.completion_tokens);
  if (input === undefined && output === undefined) return undefined;
  return { input_tokens: Math.max(0, Math.round(input ?? 0)), output_tokens: Math.max(0, Math.round(output ?? 0)) };
};

/** An answer of the model, with what it used. */
export const answered = (session, text, usage) => {
  const used = usageOf(usage);
  if (text) session.said(text, used);
  else session.usage(used);
};

/**
 * One request to the model: `ask({advice, budget})` makes it. Advice that was in a request that failed is for the next one. Throws the
 * `Stop` where the agent is to end.
 */
export const asking = async (session, ask) => {
  if (session.signal.aborted) throw session.signal.reason;
  const advice = session.peek();
  try {
    const answer = await ask({ advice, budget: session.budgetBlock() });
    session.taken(advice);
    return answer;
  } catch (error) {
    if (error?.name !== 'AbortError' && session.stopped === null) session.error(error);
    throw error;
  }
};

/** The same object with some of its members replaced; the others work on the original. */
export const dressed = (object, members) => new Proxy(object, {
  get: (target, name) => {
    if (Object.hasOwn(members, name)) return members[name];
    const value = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

/** Whether this model is supervised already: to wrap it twice would count twice. */
export const once = (seen, object, wrap) => {
  if (seen.has(object)) return object;
  const wrapped = wrap();
  seen.add(wrapped);
  return wrapped;
};
