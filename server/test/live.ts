import { type Server, createServer, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LiveEvent, contracts } from '@millrace/api';
import {
  EVERYTHING,
  type ClaimedJob,
  type Clock,
  type Events,
  type JobId,
  type JobKind,
  type Log,
  type Queue,
  type Scope,
  type SettledOutcome,
  StoreUnavailable,
  createEvents,
  createQueue,
  createRegistry,
  defineJob,
  done,
} from '@millrace/engine';
import { createMemoryDatabase } from '@millrace/store-memory';
import type { Announcements } from '@millrace/store-postgres';
import { createVirtualTime } from '@millrace/testkit';
import { z } from 'zod';
import { type Hub, type HubParams, createHub } from '../src/live/hub.ts';
import { toProblem } from '../src/http/problems.ts';
import type { MainStore } from '../src/stores/parts.ts';
import { type LineEnd, asMain, createLine } from './service.ts';

export const KINDS: readonly JobKind[] = ['work', 'other'].map((kind) =>
  defineJob({ kind, input: z.unknown(), run: async () => done() }),
);

/** A process with a hub on a real socket. Its jobs are moved by the test, as a worker would move them. */
export interface Replica {
  readonly url: string;
  readonly hub: Hub;
  readonly store: MainStore;
  readonly events: Events;
  readonly queue: Queue;
  readonly warnings: string[];
  enqueue(request?: Partial<Parameters<Queue['enqueue']>[0]>): Promise<JobId>;
  /** Claims the next job of the kind. */
  start(kind?: string): Promise<ClaimedJob>;
  settle(job: ClaimedJob, outcome?: SettledOutcome): Promise<void>;
  close(): Promise<void>;
}

const SUCCEED: SettledOutcome = {
  move: 'succeed',
  result: 'null',
  purgePayload: false,
  effects: [],
};

export async function startReplica(
  params: {
    store: MainStore;
    announcements: Announcements;
    name: string;
    clock?: Clock;
    expiresAt?: number;
  } & Pick<HubParams, 'now' | 'onDropped' | 'serves' | 'topics' | 'things'> &
    Partial<Pick<HubParams, 'streamsPerCaller'>>,
): Promise<Replica> {
  const { store, announcements, name, expiresAt = null, ...rest } = params;
  const events = createEvents();
  const warnings: string[] = [];
  const log: Log = {
    info: () => {},
    warn: (_, message) => void warnings.push(message),
    error: (_, message) => void warnings.push(message),
  };
  const hub = createHub({
    store,
    announcements,
    events,
    log,
    streamsPerCaller: 1_000,
    ...rest,
  });
  const server = await listen(hub, expiresAt);
  const queue = createQueue({ store, registry: createRegistry(KINDS), events });
  let claims = 0;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hub,
    store,
    events,
    queue,
    warnings,
    async enqueue(request = {}) {
      return (await queue.enqueue({ kind: 'work', data: null, ...request })).id;
    },
    async start(kind = 'work') {
      claims += 1;
      const { jobs } = await store.claim({
        worker: name,
        claim: claims,
        wants: [{ kind, limit: 1 }],
        limit: 1,
        leaseMs: 60_000,
      });
      const [job] = jobs;
      if (job === undefined) throw new Error(`There is no job of the kind "${kind}" to start.`);
      events.emit('job.started', eventOf(job));
      return job;
    },
    async settle(job, outcome = SUCCEED) {
      await store.settle({ settlements: [{ job, outcome, children: [] }] });
      events.emit('job.succeeded', { ...eventOf(job), durationMs: 1 });
    },
    async close() {
      await hub.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
    },
  };
}

/** One memory database, time that the test moves, and as many replicas as are asked for. */
export interface Place {
  run(ms: number): Promise<void>;
  now(): number;
  start(name?: string, options?: PlaceOptions): Promise<Replica>;
  close(): Promise<void>;
}

export interface PlaceOptions
  extends
    Pick<HubParams, 'onDropped' | 'serves' | 'topics' | 'things'>,
    Partial<Pick<HubParams, 'streamsPerCaller'>> {
  readonly expiresAt?: number;
  readonly store?: (store: MainStore) => MainStore;
  readonly announcements?: (end: LineEnd) => Announcements;
}

export function createPlace(): Place {
  const time = createVirtualTime();
  const database = createMemoryDatabase({ now: time.now });
  const line = createLine();
  const replicas: Replica[] = [];
  return {
    run: (ms) => time.run(time.now() + ms),
    now: time.now,
    async start(name = 'r1', { store: wrapStore, announcements: wrapEnd, ...options } = {}) {
      const opened = asMain(database.open());
      const end = line.open();
      const replica = await startReplica({
        store: wrapStore?.(opened) ?? opened,
        announcements: wrapEnd?.(end) ?? end,
        name,
        clock: time.process(),
        now: time.now,
        ...options,
      });
      replicas.push(replica);
      return replica;
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}

function eventOf({ id, kind, tenant, attempt, correlationId }: ClaimedJob) {
  return { id, kind, tenant, attempt, correlationId: correlationId ?? id };
}

/** The scope of a path that names tenants (`/of/acme,globex/events`); without them, everything. */
function scopeOf(path: string): Scope {
  const tenants = /^\/of\/([^/]+)\//.exec(path)?.[1]?.split(',');
  return tenants === undefined ? EVERYTHING : { ...EVERYTHING, tenants };
}

/** As the service's route, with the caller in the path (`/ada/events`, or see `scopeOf`): the query is checked, what the hub throws is answered as a problem. */
async function listen(hub: Hub, expiresAt: number | null): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    hub
      .open({
        response,
        caller: pathname,
        filter: {
          ...contracts.events.query.parse(Object.fromEntries(searchParams)),
          scope: scopeOf(pathname),
        },
        expiresAt,
        correlationId: 'c-1',
        headers: { 'x-given': 'yes' },
      })
      .catch((error: unknown) => {
        const problem = toProblem(error, 'c-1');
        response.writeHead(problem.status).end(JSON.stringify(problem));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** A reader on a socket of its own, who keeps everything. */
export interface Reader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: LiveEvent[];
  readonly comments: string[];
  /** Resolves with the first event, past or to come, that fits. */
  until(fits: (event: LiveEvent) => boolean): Promise<LiveEvent>;
  untilComment(fits: (comment: string) => boolean): Promise<void>;
  /** Resolves with everything that came when the other side has ended it. */
  readonly ended: Promise<string>;
  pause(): void;
  resume(): void;
  close(): void;
}

export async function connect(url: string, query: Record<string, string> = {}): Promise<Reader> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/events?${new URLSearchParams(query).toString()}`, { agent: false }, resolve).on(
      'error',
      reject,
    );
  });
  const [events, comments]: [LiveEvent[], string[]] = [[], []];
  const lookers = new Set<() => void>();
  let text = '';
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const line of blocks.flatMap((block) => block.split('\n'))) {
      if (line.startsWith(': ')) comments.push(line.slice(2));
      if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)) as LiveEvent);
    }
    for (const look of lookers) look();
  });
  // The other side may cut the line: that is an end too.
  response.on('error', () => {});

  function first<T>(items: readonly T[], fits: (item: T) => boolean): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = items.find(fits);
        if (found === undefined) return;
        lookers.delete(look);
        resolve(found);
      };
      lookers.add(look);
      look();
    });
  }

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments,
    until: (fits) => first(events, fits),
    untilComment: async (fits) => void (await first(comments, fits)),
    ended: new Promise((resolve) => response.once('close', () => resolve(text))),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void response.destroy(),
  };
}

export const isLive = (event: LiveEvent): boolean => event.type === 'live';

export function isJob(id: JobId, state?: string): (event: LiveEvent) => boolean {
  return (event) =>
    event.type === 'job' &&
    event.job.id === id &&
    (state === undefined || event.job.state === state);
}

/** Jobs as they were told, one after the other: `mem-1 QUEUED`. */
export function jobEvents(events: readonly LiveEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'job' ? `${event.job.id} ${event.job.state}` : [],
  );
}

/** A promise that the test settles. */
export function later<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A store whose reads fail while it is away. */
export function createAway() {
  let isAway = false;
  const guard =
    <Args extends unknown[], T>(verb: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (isAway) throw new StoreUnavailable('The store is away.');
      return verb(...args);
    };
  return {
    go: () => void (isAway = true),
    comeBack: () => void (isAway = false),
    wrap: (store: MainStore): MainStore => ({
      ...store,
      list: guard(store.list),
      summaries: guard(store.summaries),
      counts: guard(store.counts),
      control: { ...store.control, workers: guard(store.control.workers) },
    }),
    wrapLine: (end: LineEnd): Announcements => ({ ...end, announce: guard(end.announce) }),
  };
}

/** As a worker's report says it. */
export async function report(store: MainStore, worker: string, state: string): Promise<void> {
  const totals = { processed: 3, succeeded: 2, failed: 1, retries: 0 };
  const stats = { id: worker, state, uptimeMs: 5_000, inFlight: 0, lastPoll: null, totals };
  await store.control.reportWorker({ worker, kinds: ['work'], stats: JSON.stringify(stats) });
}
