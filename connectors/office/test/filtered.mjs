// Under the seccomp filter, tries what it is there to refuse, and prints what came of each.
//
//   node filtered.mjs <strict|no-network> <port that listens on 127.0.0.1>

import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { fdatasyncSync, fsyncSync } from 'node:fs';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { installFilter } from '../dist/sandbox/seccomp.js';

const level = /** @type {'strict' | 'no-network'} */ (process.argv[2]);
const port = Number(process.argv[3]);
/** A number that no open file has: the kernel would say so. */
const NO_FILE = 10_000;
// A thread that was there before the filter was.
const thread = new Worker(
  `const { parentPort, workerData } = require('node:worker_threads');
   parentPort.once('message', () => {
     const socket = require('node:net').connect(workerData, '127.0.0.1');
     socket.once('connect', () => parentPort.postMessage('connected'));
     socket.once('error', (error) => parentPort.postMessage(error.code));
   });`,
  { eval: true, workerData: port },
);
await once(thread, 'online');
const installed = installFilter(level);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
thread.postMessage('now');
const [otherThread] = await once(thread, 'message');
const tcp = (/** @type {string} */ host) =>
  once(connect({ host, port }), 'connect').then(
    () => 'connected',
    (/** @type {NodeJS.ErrnoException} */ error) => error.code,
  );
const udp = (/** @type {'udp4' | 'udp6'} */ type) => {
  const socket = createSocket(type);
  const failure = once(socket, 'error');
  socket.bind(0);
  return Promise.race([
    once(socket, 'listening').then(() => 'bound'),
    failure.then(([error]) => error.code),
  ]);
};
const local = once(connect({ path: '/nowhere/socket' }), 'connect').then(
  () => 'connected',
  (/** @type {NodeJS.ErrnoException} */ error) => error.code,
);
const sync = (/** @type {(file: number) => void} */ call) => {
  try {
    call(NO_FILE);
    return 'pretended';
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code;
  }
};
const program = spawnSync('true').error;
console.log(
  JSON.stringify({
    installed,
    otherThread,
    tcp4: await tcp('127.0.0.1'),
    tcp6: await tcp('::1'),
    udp4: await udp('udp4'),
    udp6: await udp('udp6'),
    local: await local,
    fsync: sync(fsyncSync),
    fdatasync: sync(fdatasyncSync),
    program: program === undefined ? 'ran' : /** @type {NodeJS.ErrnoException} */ (program).code,
  }),
);
process.exit();
