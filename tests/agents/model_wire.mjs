// SPDX-License-Identifier: Apache-2.0
// The wire of four model APIs, as far as agents need it: a request as {format, turn, tools, user}, and an answer as a stream or whole.

const text = (content) => {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part.text ?? text(part.content ?? part.output ?? '')).join('\n') : '';
};
const user = (messages) => messages.filter((m) => m.role === 'user').map((m) => text(m.content ?? m.parts)).join('\n');
const usage = { in: 100, out: 20 };

const anthropic = {
  path: /\/messages$/,
  read: (body) => ({ turn: body.messages.filter((m) => m.role === 'assistant').length, user: user(body.messages),
    tools: (body.tools ?? []).map((t) => ({ name: t.name, schema: t.input_schema })) }),
  answer: (out, number, words, calls, seen) => {
    const content = [...(words ? [{ type: 'text', text: words }] : []),
      ...calls.map((c) => ({ type: 'tool_use', id: `toolu_${c.id}`, name: c.name, input: c.args }))];
    const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model: seen.body.model, content, stop_sequence: null,
      stop_reason: calls.length ? 'tool_use' : 'end_turn', usage: { input_tokens: usage.in, output_tokens: usage.out } };
    if (!seen.body.stream) return out.whole(message);
    const event = (type, data) => out.event(type, { type, ...data });
    event('message_start', { message: { ...message, content: [], stop_reason: null } });
    content.forEach((block, index) => {
      const empty = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
      const delta = block.type === 'text' ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
      event('content_block_start', { index, content_block: empty });
      event('content_block_delta', { index, delta });
      event('content_block_stop', { index });
    });
    event('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: usage.out } });
    event('message_stop', {});
    return out.end();
  },
};

const chat = {
  path: /\/chat\/completions$/,
  read: (body) => ({ turn: body.messages.filter((m) => m.role === 'assistant').length, user: user(body.messages),
    tools: (body.tools ?? []).map((t) => ({ name: t.function?.name, schema: t.function?.parameters })) }),
  answer: (out, number, words, calls, seen) => {
    const called = calls.map((c, index) => ({ index, id: c.id, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.args) } }));
    const about = { id: `chatcmpl-${number}`, created: 1, model: seen.body.model };
    const used = { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out };
    const finish = calls.length ? 'tool_calls' : 'stop';
    if (!seen.body.stream) {
      const message = { role: 'assistant', content: words || null, ...(called.length ? { tool_calls: called } : {}) };
      return out.whole({ ...about, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage: used });
    }
    const chunk = (delta, reason = null) => out.event('', { ...about, object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }] });
    chunk({ role: 'assistant', content: words });
    if (called.length) chunk({ tool_calls: called });
    chunk({}, finish);
    out.event('', { ...about, object: 'chat.completion.chunk', choices: [], usage: used });
    out.event('', '[DONE]');
    return out.end();
  },
};

// A turn of the model is a run of items of its own.
const turnsOf = (items) => {
  const own = items.map((i) => ['function_call', 'reasoning'].includes(i.type) || i.role === 'assistant');
  return own.filter((mine, i) => mine && !own[i - 1]).length;
};
// Tools may stand in groups, whose name goes with the call.
const responsesTools = (tools) => tools.flatMap((t) => (t.type === 'namespace'
  ? t.tools.map((inner) => ({ name: inner.name, schema: inner.parameters, namespace: t.name })) : [{ name: t.name ?? t.type, schema: t.parameters }]));

const responses = {
  path: /\/responses$/,
  read: (body) => ({ turn: turnsOf(body.input), user: user(body.input), tools: responsesTools(body.tools ?? []) }),
  answer: (out, number, words, calls, seen) => {
    const message = { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed',
      content: [{ type: 'output_text', text: words, annotations: [] }] };
    const output = [...(words ? [message] : []), ...calls.map((c) => ({ type: 'function_call', id: `fc_${c.id}`, call_id: c.id, name: c.name,
      ...(c.namespace ? { namespace: c.namespace } : {}), arguments: JSON.stringify(c.args), status: 'completed' }))];
    const used = { input_tokens: usage.in, input_tokens_details: { cached_tokens: 0 }, output_tokens: usage.out,
      output_tokens_details: { reasoning_tokens: 0 }, total_tokens: usage.in + usage.out };
    const whole = { id: `resp_${number}`, object: 'response', created_at: 1, status: 'completed', model: seen.body.model, output, usage: used };
    if (!seen.body.stream) return out.whole(whole);
    let sequence = 0;
    const event = (type, data) => out.event(type, { type, sequence_number: sequence++, ...data });
    event('response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } });
    output.forEach((item, index) => {
      event('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress' } });
      event('response.output_item.done', { output_index: index, item });
    });
    event('response.completed', { response: whole });
    return out.end();
  },
};

const gemini = {
  path: /:(streamG|g)enerateContent$/,
  read: (body) => ({ turn: (body.contents ?? []).filter((c) => c.role === 'model').length, user: user(body.contents ?? []),
    tools: (body.tools ?? []).flatMap((t) => t.functionDeclarations ?? []).map((f) => ({ name: f.name, schema: f.parametersJsonSchema ?? f.parameters })) }),
  answer: (out, number, words, calls, seen) => {
    const parts = [...(words ? [{ text: words }] : []), ...calls.map((c) => ({ functionCall: { id: c.id, name: c.name, args: c.args } }))];
    const whole = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }], responseId: `g${number}`,
      usageMetadata: { promptTokenCount: usage.in, candidatesTokenCount: usage.out, totalTokenCount: usage.in + usage.out } };
    if (!/stream/.test(seen.path)) return out.whole(whole);
    out.event('', whole);
    return out.end();
  },
};

const formats = { anthropic, chat, responses, gemini };

export const understood = (method, path, body) => {
  const format = Object.keys(formats).find((name) => formats[name].path.test(path));
  return method === 'POST' && format ? { format, path, body, ...formats[format].read(body) } : null;
};

export const answer = (seen, response, number, words, calls) => {
  let begun = false;
  const out = {
    whole: (data) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(data));
    },
    event: (type, data) => {
      if (!begun) response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      begun = true;
      response.write(`${type ? `event: ${type}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    },
    end: () => response.end(),
  };
  return formats[seen.format].answer(out, number, words, calls, seen);
};
