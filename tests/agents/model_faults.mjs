// SPDX-License-Identifier: Apache-2.0
// Refusals of providers, in the words of each API: {status, headers, body}, or {cut: true} for a stream that breaks off. A usage limit
// resets after some seconds.

export const RESET_SECONDS = 5_400;
const epoch = (seconds) => Math.floor(Date.now() / 1000) + seconds;

const anthropic = (status, type, message, headers = {}) => ({ status, headers, body: { type: 'error', error: { type, message }, request_id: 'req_made_up' } });
const openai = (status, type, message, more = {}, headers = {}) => ({ status, headers, body: { error: { type, message, code: type, ...more } } });
const google = (code, status, message, details = []) => ({ status: code, body: { error: { code, message, status, details } } });

const windows = (reset, seconds) => ({ 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': `${reset}`,
  'anthropic-ratelimit-unified-representative-claim': 'five_hour', 'anthropic-ratelimit-unified-5h-status': 'rejected',
  'anthropic-ratelimit-unified-5h-reset': `${reset}`, 'anthropic-ratelimit-unified-5h-utilization': '1.0',
  'anthropic-ratelimit-unified-overage-status': 'rejected', 'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
  'retry-after': `${seconds}` });
const plan = (reset, seconds) => ({ 'x-codex-active-limit': 'codex', 'x-codex-plan-type': 'plus', 'x-codex-primary-used-percent': '100',
  'x-codex-primary-window-minutes': '300', 'x-codex-primary-reset-after-seconds': `${seconds}`, 'x-codex-primary-reset-at': `${reset}`,
  'x-codex-credits-has-credits': 'False', 'x-codex-credits-unlimited': 'False' });
const perDay = (seconds) => [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaMetric: 'generate_content_free_tier_requests',
  quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', quotaValue: '50' }] },
{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` }];

const faults = {
  expired_login: {
    anthropic: () => anthropic(401, 'authentication_error', 'OAuth token has expired. Please obtain a new token or refresh your existing token.'),
    gemini: () => google(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials. Expected OAuth 2 access token.'),
    other: () => openai(401, 'invalid_api_key', 'Your authentication token has expired. Please try signing in again.'),
  },
  usage_limit: {
    anthropic: (seconds) => anthropic(429, 'rate_limit_error', "This request would exceed your account's rate limit. Please try again later.", windows(epoch(seconds), seconds)),
    responses: (seconds) => openai(429, 'usage_limit_reached', 'The usage limit has been reached', { plan_type: 'plus', resets_at: epoch(seconds), resets_in_seconds: seconds }, plan(epoch(seconds), seconds)),
    gemini: (seconds) => google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.', perDay(seconds)),
    other: (seconds) => openai(429, 'usage_limit_reached', 'The usage limit has been reached', { resets_at: epoch(seconds), resets_in_seconds: seconds }, { 'retry-after': `${seconds}` }),
  },
  overload: {
    anthropic: () => anthropic(529, 'overloaded_error', 'Overloaded'),
    gemini: () => google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    other: () => openai(503, 'server_is_overloaded', 'Our servers are currently overloaded. Please try again later.'),
  },
  context_full: {
    anthropic: () => anthropic(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    gemini: () => google(400, 'INVALID_ARGUMENT', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
    other: () => openai(400, 'context_length_exceeded', 'Your input exceeds the context window of this model. Please adjust your input and try again.', { type: 'invalid_request_error', param: 'input' }),
  },
};

const begun = {
  anthropic: 'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_cut","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}}}\n\n',
  responses: 'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_cut","object":"response","status":"in_progress","output":[]}}\n\n',
  gemini: 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"I will "}]},"index":0}]}\n\n',
  chat: 'data: {"id":"chatcmpl-cut","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"I will "},"finish_reason":null}]}\n\n',
};

/** Answers with the fault of this name. */
export const fail = (name, format, response, seconds) => {
  if (name === 'cut_stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(begun[format], () => response.destroy());
    return;
  }
  const fault = (faults[name][format] ?? faults[name].other)(seconds);
  response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
  response.end(JSON.stringify(fault.body));
};
