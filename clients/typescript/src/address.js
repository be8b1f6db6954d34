// SPDX-License-Identifier: Apache-2.0
// Forms of HEADWAY_URL; the other clients, the CLI and the hook read it alike (tests/support/daemon_urls.txt).
export const DEFAULT_URL = 'http://127.0.0.1:7717';
export const NO_ADDRESS = 'HEADWAY_URL is no URL of a daemon; write http://HOST:PORT, https://HOST:PORT or unix:/PATH.';
const HTTP = /^(?:(https?):\/\/)?(\[[0-9a-f:.]*:[0-9a-f:.]*\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?((?:\/[a-z0-9._~!$&'()*+,;=:@%-]+)*)$/i;
// eslint-disable-next-line no-control-regex
const UNIX = /^unix:(?:\/\/)?(\/(?!\/)[^"\\\x00-\x1f\x7f]*)$/i;

/** `{tls, where, prefix, shown}`, of which `where` is what node connects to and `shown` the normal form; undefined for any other. */
export const addressOf = (text) => {
  const socket = UNIX.exec(text);
  if (socket) return { tls: false, where: { socketPath: socket[1], host: 'localhost' }, prefix: '', shown: `unix:${socket[1]}` };
  const [, scheme = 'http', named, port, prefix] = HTTP.exec(text.replace(/\/+$/, '')) ?? [];
  if (named === undefined || (port !== undefined && !(Number(port) > 0 && Number(port) < 65_536))) return undefined;
  const tls = scheme.toLowerCase() === 'https';
  return { tls, where: { host: named.replace(/^\[|\]$/g, ''), port: Number(port) || (tls ? 443 : 80) }, prefix,
    shown: `${tls ? 'https' : 'http'}://${named}${port === undefined ? '' : `:${port}`}${prefix}` };
};
