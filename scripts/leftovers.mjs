// What a run of the tests leaves behind: processes, and files in its temporary folder.
//
// A run has a folder of its own, which is the temporary folder of all its processes, and whose name
// stands in their environment. A process that left its group (a browser, the keeper of a server) is
// found by that name, one that was started with another environment by its session.

import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** A name that begins with MILLRACE_ is a setting, and a server refuses those it does not know. */
const RUN = 'RUN_OF_MILLRACE_TESTS';

/** The environment of a process that belongs to the same run as this one. @returns {Record<string, string>} */
export function runMark() {
  const run = process.env[RUN];
  return run === undefined ? {} : { [RUN]: run };
}

/** @param {string} folder of a run @returns {Record<string, string>} */
export function markOf(folder) {
  return { [RUN]: folder };
}

/** @typedef {{ pid: number, command: string }} Process */

/** A process that was asked to end takes a moment, and more on a busy machine. */
const GRACE_MS = 5_000;
const LOOK_EVERY_MS = 100;

/**
 * The processes of a run that do not end by themselves.
 *
 * @param {string} folder of the run
 * @param {number} [session] of the program that it began with
 * @returns {Promise<Process[]>}
 */
export async function stillRunning(folder, session) {
  const until = Date.now() + GRACE_MS;
  for (;;) {
    const running = processesOf(folder, session);
    if (running.length === 0 || Date.now() > until) return running;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/**
 * Empty where there is no /proc. The process that asks is not among them.
 *
 * @param {string} folder @param {number} [session] @returns {Process[]}
 */
export function processesOf(folder, session) {
  return processIds()
    .filter((pid) => pid !== process.pid && !isZombie(pid))
    .filter(
      (pid) =>
        Number(statOf(pid)[3]) === session ||
        readProc(pid, 'environ').split('\0').includes(`${RUN}=${folder}`),
    )
    .map((pid) => ({ pid, command: readProc(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
}

/**
 * Names of what our parts write to the system's temporary folder when they do not know that of the run.
 * Other programs of the machine write there too.
 */
const OURS = /^(millrace-(?!run-)|office-|OSL_PIPE|lu\w+\.tmp|\.org\.chromium|playwright)/;

/**
 * Without those that a living process works in: they are another run's, or of a server that somebody has started. The processes of a
 * run that has ended are named by `stillRunning`.
 *
 * @param {string} folder
 */
export function ownFilesIn(folder) {
  const names = readdirSync(folder).filter((name) => OURS.test(name));
  if (names.length === 0) return names;
  const used = processIds().map((pid) => `${cwdOf(pid)}/\0${readProc(pid, 'cmdline')}`);
  return names.filter((name) => !used.some((text) => text.includes(`${folder}/${name}`)));
}

/** @param {number} pid */
function cwdOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function processIds() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** @param {number} pid */
function isZombie(pid) {
  return /^[ZX]?$/.test(statOf(pid)[0] ?? '');
}

/** The words of /proc/PID/stat from the state on: state, parent, group, session. @param {number} pid */
function statOf(pid) {
  const stat = readProc(pid, 'stat');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Nothing for a process that has ended meanwhile. @param {number} pid @param {string} file */
function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
