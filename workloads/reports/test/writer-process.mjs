// node writer-process.mjs <orders>: writes a file in chunks as the handler of a report does, from the place in `cursor`, which
// stands for the checkpoint in the database. Told to, it dies by SIGKILL before, after or in the middle of its nth call to the
// disk, or stops there as a frozen process does (SIGSTOP). It runs what `tsc -b` has built: Node 20 runs no TypeScript.
//
//   { folder | s3, cursor, chunks: number[], chunkBytes, epoch, at?: { call, how: 'before' | 'half' | 'after' | 'stop' } }
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const orders = JSON.parse(process.argv[2] ?? '');
const NEVER = new AbortController().signal;
/** The calls to the disk, by their names. */
const calls = [];
let isArmed = false;

/** One call to the disk, which may be the last one. */
async function contact(name, work, half) {
  if (!isArmed) return work();
  calls.push(name);
  const how = calls.length === orders.at?.call ? orders.at.how : null;
  if (how === 'stop') process.kill(process.pid, 'SIGSTOP');
  if (how === null || how === 'stop') return work();
  if (how === 'half') await half?.();
  if (how === 'after') await work();
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

async function watchDisk() {
  const probe = await fsp.open(process.execPath);
  const prototype = Object.getPrototypeOf(probe);
  await probe.close();
  for (const method of ['write', 'datasync', 'sync', 'truncate', 'stat', 'read', 'close']) {
    const real = prototype[method];
    prototype[method] = function watched(...args) {
      const half = () => real.call(this, args[0], args[1], args[2] >> 1, args[3]);
      return contact(method, () => real.apply(this, args), method === 'write' ? half : undefined);
    };
  }
  for (const name of ['open', 'mkdir', 'rm']) {
    const real = fsp[name];
    fsp[name] = (...args) => contact(name, () => real(...args));
  }
  syncBuiltinESMExports();
}

function chunkOf(number) {
  const line = `${number},${createHash('sha256').update(String(number)).digest('hex')}\n`;
  return Buffer.alloc(orders.chunkBytes + number, line);
}

/** Whole or not at all, and refused once another execution has begun. */
function save(cursor) {
  if (epochNow() > orders.epoch) throw new Error('stale');
  writeFileSync(`${orders.cursor}.${orders.epoch}`, JSON.stringify(cursor));
  renameSync(`${orders.cursor}.${orders.epoch}`, orders.cursor);
}

function saved() {
  return existsSync(orders.cursor) ? JSON.parse(readFileSync(orders.cursor, 'utf8')) : null;
}

function epochNow() {
  return Number(readFileSync(`${orders.cursor}.epoch`, 'utf8'));
}

async function outputsOf() {
  if (orders.s3 === undefined) {
    // Without the client of S3, which takes as long to load as the rest of the process.
    const { createLocalFiles } = await import('../dist/outputs/local/local.js');
    return createLocalFiles(orders.folder);
  }
  const { createOutputs } = await import('../dist/outputs/outputs.js');
  const { createObjectStorage } = await import('@millrace/object-storage');
  const { config, namespace, partBytes } = orders.s3;
  const storage = createObjectStorage(config);
  const s3 = { storage, namespace, partBytes: () => partBytes };
  return createOutputs({ folder: '/nowhere', s3 });
}

if (orders.s3 === undefined) await watchDisk();
const outputs = await outputsOf();
isArmed = true;
const cursor = saved();
const output = await outputs.open({
  job: 'pg-7',
  epoch: orders.epoch,
  at: cursor?.place ?? null,
  signal: NEVER,
});
for (const number of orders.chunks.slice(cursor?.chunks ?? 0)) {
  await output.write(chunkOf(number));
  if (output.canSync)
    save({ place: await output.sync(), chunks: orders.chunks.indexOf(number) + 1 });
}
const finished = await output.finish();
if (epochNow() > orders.epoch) throw new Error('stale');
isArmed = false;
writeFileSync(`${orders.cursor}.result`, JSON.stringify({ ...finished, calls }));
