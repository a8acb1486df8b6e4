// Keeps one folder, and at most one program at a time, on behalf of the process that forked this
// file: a server, or a program that runs to its end.
//
// The keeper leads its own session and learns from the closing of the channel that its owner has
// ended. However that happened (well, by an exception, by Ctrl-C, by SIGKILL), it stops the program
// and what the program left running, and removes the folder. The program is its child, so no process
// id can be lost or stale.
//
//   node keeper.mjs <name> <uid> <gid> <the signal that ends the program at once>

import { spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdPort } from './ports.mjs';
import { processesOf, runMark, stillRunning } from './leftovers.mjs';

/**
 * @typedef {object} Program
 * @property {string} command
 * @property {string[]} args
 * @property {string} [cwd] the folder, unless given
 * @property {NodeJS.ProcessEnv} [env] next to nothing, unless given
 * @property {'inherit' | 'pipe'} [stdio] inherit: the output is shown
 *
 * @typedef {Program & { verb: 'run' | 'start' } | { verb: 'stop', signal: NodeJS.Signals } | { verb: 'port' }} Request
 *
 * @typedef {{ folder?: string, port?: number, success?: boolean, left?: import('./leftovers.mjs').Process[], error?: string }} Answer
 *
 * @typedef {object} Running
 * @property {(signal: NodeJS.Signals) => unknown} kill
 * @property {Promise<'ready'>} ready
 * @property {Promise<number | null>} ended
 * @property {() => Error} failure
 */

const READY = /ready to accept connections/i; // Postgres and Redis say the same words
const START_LIMIT = 60_000; // recovery after an immediate stop can take a while
const STOP_LIMIT = 10_000; // after an immediate stop, Postgres itself kills its children in 5 s

// PGDATA, PGPORT and the like must not reach a private server.
const SERVER_ENV = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...runMark() };

const [name, uid, gid, endSignal] = process.argv.slice(2);
const account = { uid: Number(uid), gid: Number(gid) };
const folder = await mkdtemp(join(tmpdir(), `millrace-${name}-`));
await chown(folder, account.uid, account.gid);
await chmod(folder, 0o711); // servers of other accounts have their folders below it

/** @type {Running | undefined} */
let running;
let ending = false;
/** @type {number | undefined} */
let session; // of the last program
let last = Promise.resolve(); // requests are answered one after the other

process.on('message', (/** @type {Request | { verb: 'end' }} */ request) => {
  if (request.verb === 'end') return void end();
  last = last
    .then(() => perform(request))
    .then(
      (result) => answer({ ...result }),
      (error) => answer({ error: error.message }),
    );
});
for (const event of ['disconnect', 'SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException']) {
  process.on(event, () => void end());
}

if (process.connected) answer({ folder });
else await end(); // the owner ended while this process was starting

/** @param {Answer} message */
function answer(message) {
  if (process.connected) process.send?.(message);
}

/** @param {Request} request @returns {Promise<Answer | void>} */
async function perform(request) {
  if (request.verb === 'port') return { port: await holdPort() };
  if (request.verb === 'stop') return stop(request.signal);
  return request.verb === 'start' ? start(request) : run(request);
}

/** Runs a program to its end, and ends what it left running. @param {Program} program @returns {Promise<Answer>} */
async function run(program) {
  const { ended, failure } = launch(program);
  const success = (await ended) === 0;
  const left = await stillRunning(folder, session);
  for (const { pid } of left) send(pid, 'SIGKILL');
  return { success, left, ...(!success && { error: failure().message }) };
}

/** Starts the server and waits until it takes connections. @param {Program} program */
async function start(program) {
  if (running) return;
  const { ready, ended, failure } = launch(program);
  if ((await Promise.race([ready, ended, after(START_LIMIT)])) === 'ready') return;
  await stop('SIGKILL');
  throw failure();
}

/** Stops what runs and waits until all of its processes are gone. @param {NodeJS.Signals} signal */
async function stop(signal) {
  const stopping = running;
  if (!stopping) return;
  stopping.kill(signal);
  await Promise.race([stopping.ended, after(STOP_LIMIT)]);
  if (running !== stopping) return;
  stopping.kill('SIGKILL');
  await Promise.race([stopping.ended, after(STOP_LIMIT)]);
}

async function end() {
  if (ending) return;
  ending = true;
  await stop(/** @type {NodeJS.Signals} */ (endSignal));
  for (const { pid } of processesOf(folder, session)) send(pid, 'SIGKILL');
  // Retried, because a process that is still on its way out may write one more file.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  process.exit();
}

/** @param {Program} program @returns {Running} */
function launch({ command, args, cwd = folder, env = SERVER_ENV, stdio = 'pipe' }) {
  if (ending) throw new Error(`${command} was not started, because its owner has ended.`);
  // `detached` makes a process group, so that a signal reaches the children of the program too.
  const child = spawn(command, args, { ...account, cwd, env, stdio, detached: true });
  let said = '';
  child.on('error', (error) => (said += error.message));

  /** @type {Promise<'ready'>} */
  const ready = new Promise((resolve) => {
    const listen = (/** @type {Buffer} */ chunk) => {
      said = (said + chunk).slice(-4000);
      if (READY.test(said)) resolve('ready');
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
  });

  // `close`, not `exit`: every Postgres process holds these pipes, so the last of them is gone too.
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.on('close', (code) => {
      running = undefined;
      resolve(code);
    });
  });

  session = child.pid;
  running = {
    kill: (kind) => child.pid !== undefined && send(-child.pid, kind),
    ready,
    ended,
    failure: () => new Error(`${command} failed:\n${said}`),
  };
  return running;
}

/** @param {number} pid that of a process; negative, that of a group @param {NodeJS.Signals} kind */
function send(pid, kind) {
  try {
    process.kill(pid, kind);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** @param {number} ms */
function after(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
