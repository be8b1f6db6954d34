// SPDX-License-Identifier: Apache-2.0

// The SharedWorker around the hub: one for all tabs of a browser.
import { Hub } from './hub.js';

const hub = new Hub();
self.onconnect = ({ ports: [channel] }) => {
  const port = { send: (message) => channel.postMessage(message) };
  channel.onmessage = ({ data }) => hub.receive(port, data); // the first says who is logged in, and joins
};
