import { Worker } from 'node:worker_threads';
import { OWN, SourceUnavailable } from '../errors.ts';
import { type Bridge, createBridge } from './bridge.ts';
import type { Notice, Order } from './wire.ts';

/** The embedded database in a thread that is started when needed, and again after it has ended. */
export interface EmbeddedDatabase {
  /** To be called when the last session is over. */
  open(): Promise<EmbeddedSession>;
  close(): Promise<void>;
}

export interface EmbeddedSession extends Pick<Bridge, 'stream' | 'control'> {
  /**
   * Resolves when nothing of the session is left, its stream being closed. A statement that computes sees no cancellation
   * before it writes: the thread is ended then, and the next session begins with a new one, which recovers from the log.
   */
  over(withinMs: number): Promise<void>;
}

/** Threads run what is built, also where the rest comes from the sources. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/embedded/thread.js' : './thread.js',
  import.meta.url,
);

export function createEmbeddedDatabase(dataDir: string): EmbeddedDatabase {
  let running: { readonly worker: Worker; readonly ended: Promise<void> } | null = null;

  async function start(): Promise<Worker> {
    if (running !== null) return running.worker;
    // No environment: the thread needs no secret of the service.
    const worker = new Worker(SCRIPT, { workerData: { dataDir }, env: {}, execArgv: [] });
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        running = null;
        resolve();
      });
    });
    let crash: Error | null = null;
    worker.on('error', (error: Error) => {
      crash = error;
    });
    running = { worker, ended };
    const notice = await Promise.race([nextNotice(worker), ended]);
    if (notice?.type === 'open') return worker;
    await ended;
    throw stopped(notice?.type === 'failed' ? notice.message : messageOf(crash));
  }

  return {
    async open() {
      const worker = await start();
      const ended = running?.ended ?? Promise.resolve();
      const { stream, control, far } = createBridge();
      const idle = nextNotice(worker);
      worker.ref();
      worker.postMessage({ type: 'session', ...far } satisfies Order, [far.port]);
      return {
        stream,
        control,
        async over(withinMs) {
          const timer = setTimeout(() => void worker.terminate(), withinMs);
          const notice = await Promise.race([idle, ended]);
          clearTimeout(timer);
          // It has stopped, and is about to end.
          if (notice?.type === 'failed') await ended;
          worker.unref();
        },
      };
    },
    async close() {
      if (running === null) return;
      const { worker, ended } = running;
      const timer = setTimeout(() => void worker.terminate(), CLOSE_WITHIN_MS);
      worker.postMessage({ type: 'close' } satisfies Order, []);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** For its last checkpoint; without it the next start takes a moment longer. */
const CLOSE_WITHIN_MS = 5_000;

function nextNotice(worker: Worker): Promise<Notice> {
  return new Promise((resolve) => {
    worker.once('message', resolve);
  });
}

function stopped(why: string): SourceUnavailable {
  return new SourceUnavailable(`The embedded database has stopped: ${why}.`, { code: OWN.stopped });
}

function messageOf(crash: Error | null): string {
  return crash?.message ?? 'its thread ended';
}
