// Ports for servers that need a fixed one, and that are stopped and started again on the same one.

import { connect, createServer } from 'node:net';

/** How often another process may be faster between the moment a port is found and the moment it is held. */
const TRIES = 100;

/**
 * A port of 127.0.0.1 that the kernel chose, held until this process ends: a connection of our own is
 * bound to it. A server may listen on a port that is held so (both sides set SO_REUSEADDR, and a
 * connection does not listen); the kernel gives it to nobody else, neither to a server that asks for any
 * port nor to a client. So a server that was stopped finds its port free, and a client that dials it
 * meanwhile is refused instead of being given that very port and connected to itself.
 *
 * @returns {Promise<number>}
 */
export async function holdPort() {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = await portOfKernel();
    if (await hold(port)) return port;
  }
  throw new Error('No free port on 127.0.0.1.');
}

/** @returns {Promise<number>} */
function portOfKernel() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @param {number} localPort @returns {Promise<boolean>} */
function hold(localPort) {
  return new Promise((resolve) => {
    const other = createServer((socket) => socket.unref());
    other.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
      const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.1', localPort });
      const settle = (/** @type {boolean} */ held) => {
        other.close();
        socket.unref();
        resolve(held);
      };
      socket.once('connect', () => settle(true));
      socket.once('error', () => settle(false));
    });
  });
}
