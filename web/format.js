// SPDX-License-Identifier: Apache-2.0

// How values read: ages, spans, sizes, times. Pure; everything shown as text goes through here.
export const ms = (at) => (typeof at === 'number' ? at : at ? Date.parse(at) : NaN);

// A span in one unit: "now", "42 s", "7 min", "3 h", "12 d".
export function short(span) {
  if (!(span >= 0)) return span < 0 ? 'now' : '';
  const s = Math.floor(span / 1000);
  if (s < 1) return 'now';
  if (s < 60) return s + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' min';
  if (s < 172800) return Math.floor(s / 3600) + ' h';
  return Math.floor(s / 86400) + ' d';
}

// The same with two units: "3 h 20 min".
export function span(value) {
  if (!(value >= 0)) return '–';
  const s = Math.floor(value / 1000);
  const two = (size, unit, rest, small) => `${Math.floor(s / size)} ${unit} ${Math.floor((s % size) / rest)} ${small}`;
  if (s < 60) return s < 1 ? Math.round(value) + ' ms' : s + ' s';
  return s < 3600 ? two(60, 'min', 1, 's') : s < 86400 ? two(3600, 'h', 60, 'min') : two(86400, 'd', 3600, 'h');
}

// How long a session has been open, or was.
export const lasted = (row) => (ms(row.ended_at) || Date.now()) - ms(row.opened_at);

export const ago = (at, now = Date.now()) => short(Math.max(0, now - ms(at)));

function formatter(options) {
  const format = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false, ...options });
  return (at) => (at ? format.format(ms(at)) : '–');
}
export const clock = formatter({ second: '2-digit' });
export const date = formatter({ month: 'short', day: 'numeric' });

// " until 03:10" of a block whose provider has said when it accepts requests again; with the day where that is another one.
export const minute = formatter({});
export const until = (at) => (ms(at) > Date.now() ? ' until ' + (new Date(ms(at)).toDateString() === new Date().toDateString() ? minute(at) : date(at)) : '');

export const count = (n) => (n == null ? '–' : Number(n).toLocaleString('en-US'));

export function bytes(n) {
  if (n == null) return '–';
  let unit = 0;
  for (; n >= 1024 && unit < 4; unit++) n /= 1024;
  return (unit && n < 10 ? n.toFixed(1) : Math.round(n)) + ['', ' Ki', ' Mi', ' Gi', ' Ti'][unit] + (unit ? 'B' : ' B');
}

export const money = (usd) => (usd == null ? '–' : '$' + (usd >= 100 ? usd.toFixed(0) : usd >= 0.1 ? usd.toFixed(2) : usd.toFixed(4)));
export const amount = (n) => (n < 1000 ? String(n) : n < 1e6 ? (n / 1e3).toFixed(1) + 'k' : (n / 1e6).toFixed(2) + 'M');
// A cost: "~" before it where a part is an estimate, "+" behind it where of some tokens none is known, "$?" where of none is.
export const cost = ({ tokens, cost_usd: usd, cost_estimated_usd: estimated, unpriced_tokens: unpriced } = {}) =>
  (usd == null ? tokens > 0 && '$?' : usd > 0 && (estimated > 0 ? '~' : '') + money(usd) + (unpriced > 0 ? '+' : '')) || '';
// Tokens and cost so far: "12.3k · $0.42"; empty where nothing was used.
export const used = (all = {}) => [all.tokens > 0 && amount(all.tokens), cost(all)].filter(Boolean).join(' · ');
export const parts = (all = {}) => Object.entries(all).filter(([, n]) => n > 0).map(([name, n]) => `${name.replace('_', ' ')} ${amount(n)}`).join(' · ');
export const percent = (n) => (n == null ? '–' : Math.round(n) + ' %');
export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;

// Long text comes as its head and tail.
export function text(value) {
  if (value == null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && 'head' in value && 'tail' in value) {
    return `${value.head}\n … ${bytes(value.bytes)} in all …\n${value.tail}`;
  }
  return JSON.stringify(value);
}

// Kinds of calls against a decision.
export const ALARMS = { executed_though_rejected: 'ran although it was rejected', executed_unapproved: 'ran without the approval that it needs',
    started_after_rejection: 'was started although it was rejected', never_executed: 'was approved and never ran',
    approved_but_refused: "was approved here and refused by the agent's own rules",
    fan_out: 'has too many sub-agents' };

// Markdown's bold and code without their marks, where a line has no room for them.
export const unmark = (s) => s.replace(/\*\*([^*\n]+)\*\*|`([^`\n]+)`/g, '$1$2');

// Characters that a reader does not see, or that change how its neighbours are seen: the table of core/visible.cpp.
const TABLE = '\\u{b}-\\u{1f}\\u{7f}-\\u{a0}\\u{ad}\\u{34f}\\u{61c}\\u{115f}-\\u{1160}\\u{1680}\\u{17b4}-\\u{17b5}\\u{180b}-\\u{180f}'
    + '\\u{2000}-\\u{200f}\\u{2028}-\\u{202f}\\u{205f}-\\u{206f}\\u{2800}\\u{3000}\\u{3164}\\u{d800}-\\u{f8ff}\\u{fdd0}-\\u{fdef}\\u{fe00}-\\u{fe0f}\\u{feff}\\u{ffa0}'
    + '\\u{fff0}-\\u{fffc}\\u{fffe}-\\u{ffff}\\u{13430}-\\u{1345f}\\u{16fe4}\\u{1bca0}-\\u{1bca3}\\u{1d159}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\u{f0000}-\\u{10ffff}';
const ESCAPE = '\\\\(?=[ux]\\{)'; // or two texts would look the same
// In a text that keeps its lines, and in one on a line, where blanks at the ends are not seen either; nor is it a command of a CI log.
export const HIDDEN = new RegExp(`[\\u{0}-\\u{8}${TABLE}]|${ESCAPE}`, 'gu');
const HIDDEN_IN_LINE = new RegExp(`[\\u{0}-\\u{a}${TABLE}]|${ESCAPE}|^ | $|^:(?=:)|#(?=#[a-z]*\\[)`, 'gu');
export const escape = (c) => '\\u{' + c.codePointAt(0).toString(16) + '}';
export const reveal = (s) => s.replace(HIDDEN_IN_LINE, escape);
// The same of a text that may have lines, as one.
export const line = (s) => reveal(String(s ?? '').replace(/[\t\n\r ]+/g, ' ').trim());

// Subject of a call, in a line: as in core/last_action.cpp.
const TELLING = ['command', 'cmd', 'argv', 'file_path', 'path', 'query', 'url', 'pattern', 'prompt', 'description'];
export function action({ tool, target, args }) {
  const said = (name, value) => (Array.isArray(value) ? value.slice(name === 'argv').join(' ') : typeof value === 'string' && value);
  const about = target || TELLING.map((name) => said(name, args?.[name])).find(Boolean);
  return tool + (about ? ': ' + about : '');
}

// An event in a line: its own words where it has some, else the members that matter, in order.
const SAYS = {
  'tool.started': action,
  'tool.finished': (d) => action(d) + (d.ok === false ? ` – failed: ${d.error?.class || ''} ${text(d.error?.message)}` : ''),
  heartbeat: (d) => [d.phase, d.iteration != null && 'iteration ' + d.iteration, d.note].filter(Boolean).join(' · '),
  message: (d) => (d.role ? d.role + ': ' : '') + text(d.text),
  'verdict.changed': (d) => `${d.from} → ${d.to}${d.reason ? ': ' + d.reason : ''}`,
  'state.changed': (d) => `${d.from ? d.from + ' → ' : ''}${d.state}${d.invalid ? ' (no valid transition)' : ''} ${d.detail || ''}`,
  'test.result': (d) => `${d.passed ?? 0} passed, ${d.failed ?? 0} failed`,
  'progress.estimated': (d) => `${d.percent} % ${d.is_stuck ? 'stalled ' : ''}${text(d.reasoning)}`,
  'progress.stats': (d) => `${plural(d.tool_calls, 'call')} · ${d.successes} well, ${d.failures} failed · ${plural(d.files_modified, 'file')} changed`,
  'budget.updated': (d) => `step ${d.current_step}${d.max_steps != null ? '/' + d.max_steps : ''} · ${span(d.elapsed_seconds * 1000)}`
      + (d.remaining_seconds != null ? ` · ${span(d.remaining_seconds * 1000)} left` : ''),
  'budget.level': (d) => `${d.from} → ${d.to} (${d.dimension} ${Math.round(d.pressure)} %)`,
};
const PARTS = ['number', 'goal', 'name', 'child', 'kind', 'tool', 'decision', 'outcome', 'answer', 'verdict', 'by', 'text', 'message',
    'summary', 'reason', 'detail', 'id'];
export const summary = ({ type, data: d = {} }) => (SAYS[type] ? SAYS[type](d)
    : PARTS.filter((part) => d[part] != null && d[part] !== '').map((part) => (part === 'summary' ? unmark(text(d[part])) : text(d[part]))).join(' · '));
