// Benches in the size of seconds, two at a time, each in a process and a temporary folder of its own. What is looked
// at is not the figures but whether there are any: a bench that does not run is found by the build, and not by
// somebody who wants to repeat a figure.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stillRunning } from '../../scripts/leftovers.mjs';
import { benches } from './benches.mjs';

const MAIN = fileURLToPath(new URL('main.mjs', import.meta.url));
/** It is seconds; this is for one that hangs. */
const LONGEST_MS = 180_000;

/** Much of a bench is waiting, and nobody looks at the figures. */
const AT_ONCE = 2;

/** Running benches: the process of each, which leads a group, and its folder. */
const running = new Map();

/** Sets the exit code, and names those that failed. */
export async function runSmoke(names) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, interrupt);
  const failed = [];
  const begun = performance.now();
  const left = names.values();
  const lane = async () => {
    for (const name of left) if (!(await isFine(name))) failed.push(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const all = `${names.length} in ${secondsSince(begun, 0)} s`;
  console.log(failed.length === 0 ? all : `${all}, failed: ${failed.join(', ')}`);
  if (failed.length > 0) process.exitCode = 1;
}

/** One line for a bench; before it, all that one has said which failed. */
async function isFine(name) {
  const started = performance.now();
  const { problems, result, output } = await runOne(name);
  const seconds = secondsSince(started, 1);
  if (problems.length === 0) console.log(`${name}: ${seconds} s, ${result}`);
  else console.log(`${output}\n${name}: ${seconds} s, FAILED: ${problems.join('; ')}`);
  return problems.length === 0;
}

const secondsSince = (begun, digits) => ((performance.now() - begun) / 1_000).toFixed(digits);

function interrupt() {
  for (const [child, folder] of running) {
    killGroup(child);
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(1);
}

const killGroup = ({ pid }) => process.kill(-Number(pid), 'SIGKILL');

async function runOne(name) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-smoke-'));
  chmodSync(folder, 0o1777); // Postgres and LibreOffice may run as somebody else
  let output = '';
  const child = spawn(process.execPath, [MAIN, name, ...argumentsOf(benches[name].smoke)], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.set(child, folder);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const closed = once(child, 'close');
  const timer = setTimeout(() => killGroup(child), LONGEST_MS);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  running.delete(child);
  const left = await stillRunning(folder, child.pid);
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  await closed; // all of its output is here
  const files = readdirSync(folder);
  rmSync(folder, { recursive: true, force: true });

  const result = output.split('\n').findLast((line) => line.startsWith('result: '));
  const problems = [
    ...(code === 0 ? [] : [`it ended with ${code ?? signal}`]),
    ...problemsOf(result),
    ...left.map(({ command }) => `left running: ${command}`),
    ...files.map((file) => `left in the temporary folder: ${file}`),
  ];
  return { problems, result, output };
}

const argumentsOf = (settings) =>
  Object.entries(settings).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, String(value)],
  );

/** `result: queue jobs_vs_graphile=1.20 …`: each figure is a number. */
function problemsOf(result) {
  if (result === undefined) return ['there is no result line'];
  const figures = [...result.matchAll(/(\w+)=(\S*)/g)];
  if (figures.length === 0) return [`no figure in "${result}"`];
  return figures
    .filter(([, , value]) => value === '' || !Number.isFinite(Number(value)))
    .map(([figure]) => `${figure} is no number`);
}
