import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectStorageConfig } from '@millrace/object-storage';
import { need } from '../../../scripts/need.mjs';
import type { FinishedOutput, OutputPlace, Outputs } from '../src/outputs/types.ts';
import { JOB, NEVER, chunkOf } from './places.ts';

await need('build'); // the processes run what is built

/** Runs of `writer-process.mjs` that follow each other as executions of one job. */
export interface Writers {
  /** What an undisturbed run writes. */
  readonly wanted: Buffer;
  /** Runs one to its end. The signal that it died by, or its exit code. */
  run(at?: Interruption): Promise<{ readonly ended: string | number; readonly said: string }>;
  /** Begins one, and does not wait. */
  start(at?: Interruption): Running;
  result(): (FinishedOutput & { readonly calls: readonly string[] }) | null;
  /** The last execution, in this process: it goes on from the cursor and finishes. */
  finish(outputs: Outputs): Promise<FinishedOutput>;
  /** Forgets the cursor and the result. */
  reset(): void;
}

export interface Interruption {
  /** The nth call to the disk. */
  readonly call: number;
  readonly how: 'before' | 'half' | 'after' | 'stop';
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly ended: string | number; readonly said: string }>;
}

export interface WritersParams {
  /** For the cursor. */
  readonly scratch: string;
  readonly chunks: readonly number[];
  readonly chunkBytes: number;
  readonly to:
    | { readonly folder: string }
    | {
        readonly s3: {
          readonly config: ObjectStorageConfig;
          readonly namespace: string;
          readonly partBytes: number;
        };
      };
  /** Put before `node`. */
  readonly wrap?: readonly string[];
}

const PROGRAM = join(import.meta.dirname, 'writer-process.mjs');

export function createWriters(params: WritersParams): Writers {
  const cursor = join(params.scratch, 'cursor');
  let epoch = 0;

  function start(at?: Interruption): Running {
    epoch += 1;
    writeFileSync(`${cursor}.epoch`, String(epoch));
    const { chunks, chunkBytes, to, wrap = [] } = params;
    const orders = JSON.stringify({ ...to, cursor, chunks, chunkBytes, epoch, at });
    const [command, ...args] = [...wrap, process.execPath, PROGRAM, orders];
    const child = spawn(command ?? '', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    const ended = new Promise<{ ended: string | number; said: string }>((resolve) => {
      child.on('close', (code, signal) => resolve({ ended: signal ?? code ?? -1, said }));
    });
    return { child, ended };
  }

  const chunk = (number: number): Buffer => chunkOf(number, params.chunkBytes + number);
  const read = (file: string): unknown =>
    existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;

  return {
    wanted: Buffer.concat(params.chunks.map(chunk)),
    start,
    run: (at) => start(at).ended,
    result: () => read(`${cursor}.result`) as ReturnType<Writers['result']>,
    async finish(outputs) {
      epoch += 1;
      writeFileSync(`${cursor}.epoch`, String(epoch));
      const saved = read(cursor) as { place: OutputPlace; chunks: number } | null;
      const at = saved?.place ?? null;
      const output = await outputs.open({ job: JOB, epoch, at, signal: NEVER });
      for (const number of params.chunks.slice(saved?.chunks ?? 0))
        await output.write(chunk(number));
      return output.finish();
    },
    reset() {
      for (const file of [cursor, `${cursor}.result`]) rmSync(file, { force: true });
    },
  };
}

/** Resolves when the process was stopped by SIGSTOP. */
export async function stopped({ child }: Running): Promise<void> {
  for (;;) {
    const status = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    if (status.slice(status.lastIndexOf(')') + 2).startsWith('T')) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
