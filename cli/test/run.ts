import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import type { World } from '../src/world.ts';
import { DEFAULT_URL } from '../src/connection/running.ts';
import { main } from '../src/main.ts';
import type { PrivateFiles } from '../src/connection/private-files.ts';
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
  readonly edit?: World['edit'];
  readonly serverLines?: World['serverLines'];
  /** MILLRACE_URL is not set. */
  readonly unnamed?: boolean;
  /** Where it is typed. */
  readonly folder?: string;
  readonly processLives?: World['processLives'];
  /** Shared with whoever has to agree on the time. */
  readonly clock?: Clock;
  readonly fetch?: World['fetch'];
  /** Without them nothing is kept, and nothing found. */
  readonly files?: PrivateFiles;
  /** Told each text as it is written. */
  readonly onSay?: (text: string) => void;
  /** Somebody looks at a screen. */
  readonly openBrowser?: (address: string, interrupt: () => void) => void;
}

export interface Clock {
  now: number;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What came on standard output, byte by byte. */
  readonly bytes: Buffer;
  /** Without colours. */
  readonly lines: readonly string[];
  readonly waits: readonly number[];
}

const NO_FILES: PrivateFiles = {
  read: () => Promise.resolve(null),
  list: () => Promise.resolve([]),
  write: (path) => Promise.reject(new Error(`Nothing is to be written, and not ${path}.`)),
  lock: () => Promise.resolve(() => Promise.resolve()),
};

/** Tests ask only servers that they have started: at the default address may be somebody's own. */
const fetchFromOwn: World['fetch'] = (input, init) => {
  if (!(input instanceof Request) && new URL(input).origin === DEFAULT_URL)
    return Promise.reject(
      new TypeError('fetch failed', {
        cause: Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' }),
      }),
    );
  return globalThis.fetch(input, init);
};

/** Runs `millrace` in this process. Its clock moves only while it waits. */
export async function run(
  argv: readonly string[],
  /** Null: nobody has said which. */
  url: string | null,
  surroundings: Surroundings = {},
): Promise<Ran> {
  const { terminal, rows = 24, stdin = '', keyboard = false, env = {}, onWait } = surroundings;
  const written: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  const interruption = new AbortController();
  const waits: number[] = [];
  const clock = surroundings.clock ?? { now: NOW };
  const interrupt = () => interruption.abort();
  const { openBrowser } = surroundings;
  const stream = (name: keyof typeof written) => ({
    write(text: string | Uint8Array) {
      written[name].push(Buffer.from(text));
      surroundings.onSay?.(Buffer.from(text).toString());
    },
    ...(terminal !== undefined && { isTTY: true, columns: terminal, rows }),
  });
  const input = Readable.from(typeof stdin === 'string' ? [stdin] : stdin, { objectMode: false });
  const code = await main(argv, {
    stdin: Object.assign(input, keyboard && { isTTY: true }),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: { ...(url !== null && { MILLRACE_URL: url }), NO_COLOR: '1', ...env },
    fetch: surroundings.fetch ?? fetchFromOwn,
    files: surroundings.files ?? NO_FILES,
    home: '/nowhere',
    folder: surroundings.folder ?? '/nowhere',
    processLives: surroundings.processLives ?? (() => true),
    openBrowser: openBrowser === undefined ? null : (address) => openBrowser(address, interrupt),
    now: () => clock.now,
    async wait(ms) {
      clock.now += ms;
      waits.push(ms);
      if (waits.length > 1_000) throw new Error('It waits for ever.');
      await onWait?.(waits.length, interrupt);
      interruption.signal.throwIfAborted();
    },
    interrupted: interruption.signal,
    edit: surroundings.edit ?? (() => Promise.reject(new Error('Nobody edits.'))),
    runServer: surroundings.runServer ?? (() => null),
    serverLines: surroundings.serverLines ?? (() => null),
  });
  const bytes = Buffer.concat(written.stdout);
  const stdout = bytes.toString();
  const stderr = Buffer.concat(written.stderr).toString();
  const lines = stripVTControlCharacters(stdout).split('\n').slice(0, -1);
  return { code, stdout, stderr, bytes, lines, waits };
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
export function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
}

export function documents(stdout: string): unknown[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

/** The program of the server that a command runs: it prints these, and `asked` has what it was called with. */
export function serverThatPrints(...things: object[]) {
  const asked: (readonly string[])[] = [];
  return {
    asked,
    async *serverLines(program: string, args: readonly string[]) {
      asked.push([program, ...args]);
      for (const thing of things) yield JSON.stringify(thing);
    },
  };
}
