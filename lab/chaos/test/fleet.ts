import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { need } from '../../../scripts/need.mjs';

await need('build'); // the processes run what is built

/** A write that was refused, or leases that were taken over. */
export interface Message {
  readonly fenced?: string;
  readonly takenOver?: number;
}

export interface WorkerProcess {
  readonly id: string;
  /** SIGSTOP: nothing runs, and the other end of every connection is still there. */
  freeze(): void;
  thaw(): void;
  kill(): Promise<void>;
  /** In order: it hands back what it has and ends by itself. */
  leave(): Promise<void>;
}

export interface Fleet {
  start(id: string, url: string): Promise<WorkerProcess>;
  /** Processes that ended and had not been asked to, with their last words. */
  dead(): string[];
  /** What all of them have reported. */
  messages(): readonly Message[];
  killAll(): Promise<void>;
}

const FILE = fileURLToPath(new URL('worker-process.mjs', import.meta.url));

/** Workers in processes of their own. */
export function createFleet(): Fleet {
  const alive = new Map<ChildProcess, Promise<unknown>>();
  const dead: string[] = [];
  const messages: Message[] = [];

  async function start(id: string, url: string): Promise<WorkerProcess> {
    const child = fork(FILE, [url, id], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let lastWords = '';
    let isAsked = false;
    const ended = once(child, 'exit').then(([code, signal]) => {
      alive.delete(child);
      if (!isAsked || (code !== null && code !== 0))
        dead.push(`${id} ended with ${code ?? signal}: ${lastWords}`);
    });
    alive.set(child, ended);
    child.on('message', (message) => messages.push(message as Message));
    child.stderr?.on('data', (data) => (lastWords = `${lastWords}${data}`.slice(-2_000)));
    await Promise.race([once(child, 'message'), ended]);
    return {
      id,
      freeze: () => void child.kill('SIGSTOP'),
      thaw: () => void child.kill('SIGCONT'),
      async kill() {
        isAsked = true;
        child.kill('SIGKILL');
        await ended;
      },
      async leave() {
        isAsked = true;
        child.send('leave');
        await ended;
      },
    };
  }

  return {
    start,
    dead: () => dead,
    messages: () => messages,
    async killAll() {
      for (const child of alive.keys()) child.kill('SIGKILL');
      await Promise.all(alive.values());
    },
  };
}
