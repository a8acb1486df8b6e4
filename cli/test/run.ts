import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import type { World } from '../src/context.ts';
import { main } from '../src/main.ts';
import { type ContractServer, startContractServer } from './contract-server.ts';
import { NOW } from './jobs.ts';
import { type Service, createService } from './service.ts';

export interface Surroundings {
  /** A terminal of so many columns; without it, pipes. */
  readonly terminal?: number;
  readonly rows?: number;
  readonly stdin?: string | readonly string[];
  /** Somebody sits at the keyboard. */
  readonly keyboard?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Called instead of each pause; what it does has happened meanwhile. */
  readonly onWait?: (times: number, interrupt: () => void) => void | Promise<void>;
  readonly runServer?: World['runServer'];
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Without colours. */
  readonly lines: readonly string[];
  readonly waits: readonly number[];
}

/** Runs `millrace` in this process. Its clock moves only while it waits. */
export async function run(
  argv: readonly string[],
  url: string,
  surroundings: Surroundings = {},
): Promise<Ran> {
  const { terminal, rows = 24, stdin = '', keyboard = false, env = {}, onWait } = surroundings;
  const written = { stdout: '', stderr: '' };
  const interruption = new AbortController();
  const waits: number[] = [];
  let now = NOW;
  const stream = (name: keyof typeof written) => ({
    write: (text: string) => (written[name] += text),
    ...(terminal !== undefined && { isTTY: true, columns: terminal, rows }),
  });
  const input = Readable.from(typeof stdin === 'string' ? [stdin] : stdin, { objectMode: false });
  const code = await main(argv, {
    stdin: Object.assign(input, keyboard && { isTTY: true }),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: { MILLRACE_URL: url, NO_COLOR: '1', ...env },
    fetch: globalThis.fetch,
    now: () => now,
    async wait(ms) {
      now += ms;
      waits.push(ms);
      if (waits.length > 1_000) throw new Error('It waits for ever.');
      await onWait?.(waits.length, () => interruption.abort());
      interruption.signal.throwIfAborted();
    },
    interrupted: interruption.signal,
    runServer: surroundings.runServer ?? (() => null),
  });
  const lines = stripVTControlCharacters(written.stdout).split('\n').slice(0, -1);
  return { code, ...written, lines, waits };
}

export interface Fixture {
  readonly service: Service;
  readonly server: ContractServer;
  millrace(argv: string, surroundings?: Surroundings): Promise<Ran>;
}

/** A service behind a server, and `millrace` that knows its address. */
export async function fixture(jobs: Service['jobs'] = []): Promise<Fixture> {
  const service = createService(jobs);
  const server = await startContractServer(service.handlers);
  onTestFinished(() => server.stop());
  return {
    service,
    server,
    millrace: (argv, surroundings) => run(words(argv), server.url, surroundings),
  };
}

/** At spaces, as a shell would, with '…' around what has spaces. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
}

export function documents(stdout: string): unknown[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
