// SPDX-License-Identifier: Apache-2.0

// /openapi.json for people. Everything that it shows is put in as text, never as markup.
const METHODS = ['get', 'put', 'post', 'delete'];
const RULES = {
  pattern: 'matches ', minimum: '≥ ', maximum: '≤ ', minLength: 'length ≥ ', maxLength: 'length ≤ ', minItems: 'items ≥ ',
  maxItems: 'items ≤ ', default: 'default ',
};
const $ = (selector) => document.querySelector(selector);
let api;

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) if (value) node.setAttribute(key, value === true ? '' : value);
  node.append(...children.flat(9).filter((child) => child != null && child !== ''));
  return node;
}

/** Text in which `words` are code. */
const prose = (text) => (text || '').split('`').map((part, i) => i % 2 ? el('code', null, part) : part);

const nameOf = (node) => node.$ref ? node.$ref.split('/').pop() : '';
const whole = (node) => node.$ref ? node.$ref.slice(2).split('/').reduce((found, part) => found[part], api) : node;

/** Its inside is made when first opened. */
function fold(attributes, summary, inside) {
  const node = el('details', attributes, el('summary', null, summary));
  node.addEventListener('toggle', () => { if (node.open && node.children.length === 1) node.append(...[inside()].flat(9).filter(Boolean)); });
  return node;
}

// Schemas

function typeOf(schema) {
  const name = nameOf(schema);
  schema = whole(schema);
  const choices = schema.anyOf || (schema.discriminator ? null : schema.oneOf);
  if (choices) return choices.map(typeOf).join(' or ');
  if (schema.type === 'array') return 'list of ' + typeOf(schema.items);
  if ('const' in schema) return JSON.stringify(schema.const);
  return name || [schema.type || 'any'].flat().join(' or ');
}

const rulesOf = (schema) => Object.keys(RULES).filter((rule) => rule in schema)
  .map((rule) => RULES[rule] + (rule === 'default' ? JSON.stringify(schema[rule]) : schema[rule])).join(', ');

/** An object, or objects behind lists and choices. */
function hasInside(schema) {
  schema = whole(schema);
  if (schema.properties) return true;
  return [schema.anyOf, schema.oneOf, schema.items, typeof schema.additionalProperties === 'object' && schema.additionalProperties]
    .flat().some((inner) => inner && hasInside(inner));
}

function inside(schema) {
  schema = whole(schema);
  if (schema.properties) {
    return el('ul', null, Object.entries(schema.properties).map(([name, field]) => row(name, field, schema.required?.includes(name))));
  }
  if (schema.discriminator) {  // alike except for their data
    const kinds = schema.oneOf.map(whole), { type, data, ...common } = kinds[0].properties;
    return [inside({ properties: common }), el('b', null, 'data by type'), el('ul', null, kinds.map(({ properties: kind }) => row(kind.type.const, kind.data)))];
  }
  const choices = schema.anyOf || schema.oneOf;
  if (!choices) return inside(schema.items || schema.additionalProperties);
  // A thing, or a list of it, once.
  const different = new Map(choices.filter(hasInside).map((choice) => [nameOf(whole(choice).items || choice), choice]));
  return different.size === 1 ? inside([...different.values()][0]) : [...different.values()].map((choice) => row('', choice));
}

function row(name, schema, required) {
  const target = whole(schema);
  const words = target.enum || target.items && whole(target.items).enum;
  const about = [name && el('code', null, name), ' ', el('i', null, typeOf(schema)), required ? el('em', null, ' required') : '', ' ',
    prose(schema.description || target.description), ' ', el('small', null, rulesOf({ ...target, ...schema })),
    words && el('small', { class: 'words' }, words.join(' · ')),
  ];
  return el('li', null, hasInside(schema) ? fold(null, about, () => inside(schema)) : about);
}

// Operations

function curl(operation) {
  const { method, path, said, parameters } = operation;
  const named = (parameter) => whole(parameter.schema).examples?.[0] || parameter.name.toUpperCase();
  let target = path;
  for (const one of parameters) {
    if (one.in === 'path') target = target.replace('{' + one.name + '}', named(one));
    else if (one.required) target += '?' + one.name + '=' + named(one);
  }
  const quoted = (text) => "'" + text.replace(/'/g, "'\\''") + "'";
  const words = ['curl'];
  if (said.responses[200]?.content?.['text/event-stream']) words.push('-N');
  if (method !== 'get') words.push('-X ' + method.toUpperCase());
  if (said.security.length && !said.security.some((one) => !Object.keys(one).length)) words.push('-H "Authorization: Bearer $HEADWAY_TOKEN"');
  const example = said.requestBody?.content['application/json'].example;
  if (example) words.push("-H 'Content-Type: application/json'", '-d ' + quoted(JSON.stringify(example)));
  return [...words, quoted(location.origin + target)].join(' ');
}

function copyable(text) {
  const code = el('code', null, text), button = el('button', { type: 'button' }, 'Copy');
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {  // without TLS
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  };
  return el('div', { class: 'curl' }, el('pre', null, code), button);
}

function access({ security, 'x-scopes': wanted = [] }) {
  if (!security.length) return 'Open to anybody.';
  const scopes = wanted.map((scope) => '`' + scope + '`').join(' or ');
  const local = security.some((one) => !Object.keys(one).length);
  return (local ? 'Open where `access.mode` is `local`, else a token' : 'A token') + (scopes ? ' with ' + scopes : '') + ', or a login.';
}

function media(content) {
  return Object.entries(content || {}).flatMap(([kind, said]) => [
    el('p', null, el('code', null, kind), ' ', el('i', null, typeOf(said.schema)), ' ', prose(said.schema.description)),
    hasInside(said.schema) ? el('div', { class: 'tree' }, inside(said.schema)) : '',
    said['x-sse-events'] && el('ul', null, Object.entries(said['x-sse-events'])
      .map(([name, schema]) => row(name === '*' ? 'type of the event' : name, schema))),
  ]);
}

function details(operation) {
  const { said, parameters } = operation, body = said.requestBody;
  return [
    el('p', null, prose(said.description)), el('p', { class: 'soft' }, prose(access(said))), copyable(curl(operation)),
    parameters.length ? [el('h4', null, 'Parameters'), el('ul', null, parameters.map((one) =>
      row(one.name, { ...one.schema, description: one.in + ' · ' + one.description }, one.required)))] : '',
    body ? [el('h4', null, body.required ? 'Body' : 'Body, optional'), el('p', null, prose(body.description)), media(body.content)] : '',
    el('h4', null, 'Replies'), Object.entries(said.responses).map(([status, said]) => {
      const reply = whole(said), headers = Object.entries(reply.headers || {});
      const summary = [el('b', null, status), ' ', prose(reply.description)];
      return fold({ class: 'reply' }, summary, () => [
        headers.length ? el('ul', null, headers.map(([name, header]) => row(name, { ...whole(header).schema, ...whole(header) }))) : '',
        media(reply.content)]);
    }),
  ].flat(3).filter(Boolean);
}

function show(tag, operations) {
  const links = operations.map((operation) => {
    const { method, path, said } = operation, old = said.deprecated && 'old';
    const label = () => [el('b', { class: method }, method.toUpperCase()), ' ', el('code', { class: old }, path), ' '];
    operation.node = fold({ id: said.operationId, class: 'operation' }, [label(), el('span', null, said.summary),
      old ? el('em', null, ' deprecated') : ''], () => details(operation));
    operation.link = el('a', { href: '#' + said.operationId, title: said.summary }, label());
    return operation.link;
  });
  tag.nav = el('section', null, el('h2', null, tag.name), links);
  tag.node = el('section', null, el('h2', null, tag.name), el('p', { class: 'soft' }, prose(tag.description)),
    operations.map((operation) => operation.node));
  $('nav').append(tag.nav);
  $('main').append(tag.node);
}

/** Its names and words, those of its schemas too. */
function wordsOf(node, seen = new Set()) {
  if (typeof node === 'string') return node + ' ';
  if (!node || typeof node !== 'object') return '';
  if (node.$ref) {
    if (seen.has(node.$ref) || node.$ref.includes('/responses/')) return '';
    seen.add(node.$ref);
    return nameOf(node) + ' ' + wordsOf(whole(node), seen);
  }
  return Object.entries(node).map(([key, child]) => (isNaN(key) ? key + ' ' : '') + wordsOf(child, seen)).join('');
}

/** Hides the others; the operation that is meant first of all. */
function search(tags, operations) {
  const words = $('#find').value.toLowerCase().split(' ').filter(Boolean);
  const found = operations.filter((operation) => {
    operation.words ||= (operation.node.firstChild.textContent + wordsOf(operation.said)).toLowerCase();
    const hit = words.every((word) => operation.words.includes(word));
    operation.node.hidden = operation.link.hidden = !hit;
    return hit;
  });
  for (const tag of tags) tag.node.hidden = tag.nav.hidden = !found.some((one) => one.said.tags[0] === tag.name);
  $('#count').textContent = words.length ? found.length + ' of ' + operations.length : '';
  const named = (operation) => words.every((word) => operation.node.firstChild.textContent.toLowerCase().includes(word));
  return found.find(named) || found[0];
}

function open(id) {
  const node = document.getElementById(id);
  if (!node) return;
  node.open = true;
  node.scrollIntoView();
  node.firstChild.focus({ preventScroll: true });
}

async function start() {
  const reply = await fetch('/openapi.json');
  if (!reply.ok) throw new Error('/openapi.json: ' + reply.status);
  api = await reply.json();
  const operations = Object.entries(api.paths).flatMap(([path, item]) => METHODS.filter((method) => item[method]).map((method) => {
    const said = item[method];
    return { method, path, said, parameters: [...item.parameters || [], ...said.parameters || []].map(whole) };
  }));
  $('main').append(el('p', { class: 'soft' }, prose(api.info.description)));
  for (const tag of api.tags) show(tag, operations.filter((operation) => operation.said.tags[0] === tag.name));
  const find = $('#find');
  find.oninput = () => search(api.tags, operations);
  find.onkeydown = (event) => {
    if (event.key === 'Enter') open(search(api.tags, operations)?.said.operationId);
    if (event.key === 'Escape') { find.value = ''; find.oninput(); }
  };
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === find) return;
    event.preventDefault();
    find.select();
  });
  addEventListener('hashchange', () => open(location.hash.slice(1)));
  open(location.hash.slice(1));
}

start().catch((error) => { $('main').textContent = 'The document cannot be read: ' + error.message; });
