import type { Events, NewJob } from '@millrace/engine';
import {
  BUCKETS,
  type Level,
  LEVEL,
  type Rollup,
  type Source,
  SOURCES,
  type Tally,
} from '../figures.ts';

/** Kinds and tenants of one minute that are counted apart. More are counted in the levels above alone. */
const MOST_SUBQUEUES = 10_000;
/** Minutes that wait to be written while the store is away: an hour. */
const MOST_MINUTES = 60;
/** The newest of these, whose tenants are kept apart. */
const MINUTES_WITH_SUBQUEUES = 5;
const MINUTE_MS = 60_000;

/** A row as it grows. */
interface Row extends Rollup {
  enqueued: number[];
  succeeded: number;
  failed: number;
  canceled: number;
  retried: number;
  ran: number[];
  waited: number[];
  isDirty: boolean;
}

interface Minute {
  readonly at: number;
  readonly all: Row;
  readonly kinds: Map<string, Row>;
  /** By kind, then by tenant. */
  readonly subqueues: Map<string, Map<string, Row>>;
  subqueueCount: number;
}

/**
 * Counts what happens in this process, added up in memory by minute, kind and tenant. An event costs three additions and no more; what
 * is kept is bounded, whatever the store does.
 */
export interface Counting extends Tally {
  /** Rows that have changed since they were last taken. They are counted as written until `untake`. */
  take(): Rollup[];
  /** They were not written: they come again. */
  untake(): void;
  /** They were: what is over is forgotten. */
  written(): void;
  /** For tests: rows in memory. */
  size(): number;
}

export function createCounting(params: {
  events: Events;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Kinds whose jobs are records of an org: they are made there, and first seen when they begin. */
  ofOrgs: ReadonlySet<string>;
  /** Something waits to be written. */
  onCounted?: () => void;
}): Counting {
  const { events, now, ofOrgs, onCounted = () => {} } = params;
  const minutes: Minute[] = [];
  let taken: Row[] = [];

  function current(): Minute {
    const at = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
    const last = minutes.at(-1);
    if (last !== undefined && last.at >= at) return last;
    const minute: Minute = {
      at,
      all: emptyRow(LEVEL.all, at, '', ''),
      kinds: new Map(),
      subqueues: new Map(),
      subqueueCount: 0,
    };
    minutes.push(minute);
    if (minutes.length > MOST_MINUTES) minutes.shift();
    const old = minutes.at(-1 - MINUTES_WITH_SUBQUEUES);
    if (old !== undefined) {
      old.subqueues.clear();
      old.subqueueCount = 0;
    }
    return minute;
  }

  function add(kind: string, tenant: string, change: (row: Row) => void): void {
    const minute = current();
    touch(minute.all, change);
    touch(
      known(minute.kinds, kind, () => emptyRow(LEVEL.kind, minute.at, '', kind)),
      change,
    );
    const ofKind = known(minute.subqueues, kind, () => new Map<string, Row>());
    const subqueue = ofKind.get(tenant);
    if (subqueue !== undefined) touch(subqueue, change);
    else if (minute.subqueueCount < MOST_SUBQUEUES) {
      const made = emptyRow(LEVEL.subqueue, minute.at, tenant, kind);
      ofKind.set(tenant, made);
      minute.subqueueCount += 1;
      touch(made, change);
    }
    onCounted();
  }

  function* rowsOf({ all, kinds, subqueues }: Minute): Iterable<Row> {
    yield all;
    yield* kinds.values();
    for (const ofKind of subqueues.values()) yield* ofKind.values();
  }

  const came = (kind: string, tenant: string, source: Source): void =>
    add(kind, tenant, ({ enqueued }) => bump(enqueued, SOURCE_PLACE[source]));

  events.on('job.started', ({ kind, tenant, attempt, dueAt = null }) => {
    if (ofOrgs.has(kind) && attempt === 1) came(kind, tenant, 'salesforce');
    if (dueAt === null) return;
    const bucket = bucketOf(now() - dueAt);
    add(kind, tenant, ({ waited }) => bump(waited, bucket));
  });
  events.on('job.succeeded', ({ kind, tenant, durationMs }) => {
    const bucket = bucketOf(durationMs);
    add(kind, tenant, (row) => {
      row.succeeded += 1;
      bump(row.ran, bucket);
    });
  });
  events.on('job.failed', ({ kind, tenant }) => add(kind, tenant, (row) => (row.failed += 1)));
  events.on('job.canceled', ({ kind, tenant }) => add(kind, tenant, (row) => (row.canceled += 1)));
  events.on('job.retrying', ({ kind, tenant }) => add(kind, tenant, (row) => (row.retried += 1)));

  return {
    made(jobs) {
      for (const job of jobs) came(job.kind, job.tenant, sourceOf(job));
    },
    ended(jobs) {
      for (const { kind, tenant, state } of jobs)
        add(kind, tenant, (row) => {
          if (state === 'FAILED') row.failed += 1;
          else if (state === 'CANCELED') row.canceled += 1;
        });
    },
    take() {
      taken = minutes.flatMap((minute) =>
        [...rowsOf(minute)].filter(({ isDirty: changed }) => changed),
      );
      return taken.map((row) => {
        row.isDirty = false;
        const { enqueued, ran, waited } = row;
        return { ...row, enqueued: [...enqueued], ran: [...ran], waited: [...waited] };
      });
    },
    untake() {
      for (const row of taken) row.isDirty = true;
      taken = [];
    },
    written() {
      taken = [];
      const { at } = current();
      while (minutes[0] !== undefined && minutes[0].at < at && !isDirty(minutes[0]))
        minutes.shift();
    },
    size: () => minutes.reduce((sum, minute) => sum + [...rowsOf(minute)].length, 0),
  };

  function isDirty(minute: Minute): boolean {
    for (const row of rowsOf(minute)) if (row.isDirty) return true;
    return false;
  }
}

function touch(row: Row, change: (row: Row) => void): void {
  change(row);
  row.isDirty = true;
}

function bump(list: number[], place: number): void {
  list[place] = (list[place] ?? 0) + 1;
}

function known<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const there = map.get(key);
  if (there !== undefined) return there;
  const made = make();
  map.set(key, made);
  return made;
}

function emptyRow(level: Level, minute: number, tenant: string, kind: string): Row {
  return {
    level,
    minute,
    tenant,
    kind,
    enqueued: SOURCES.map(() => 0),
    succeeded: 0,
    failed: 0,
    canceled: 0,
    retried: 0,
    ran: Array.from({ length: BUCKETS }, () => 0),
    waited: Array.from({ length: BUCKETS }, () => 0),
    isDirty: false,
  };
}

/** Bucket n counts up to 4 · 2ⁿ ms; the last one everything beyond. */
export const FIRST_BUCKET_MS = 4;

export function bucketOf(ms: number): number {
  if (!(ms > FIRST_BUCKET_MS)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(ms / FIRST_BUCKET_MS)));
}

/** All jobs of a pipeline's run carry the run's id. */
const PIPELINE_RUN = /^pipe-\d+$/;

/** The origin of a job, as far as its fields show it. Records of Salesforce are made elsewhere and counted when they begin. */
function sourceOf({ schedule, correlationId, parents, submitter }: NewJob): Source {
  if (schedule !== undefined) return 'schedule';
  if (correlationId !== undefined && PIPELINE_RUN.test(correlationId)) return 'pipeline';
  if (parents !== undefined) return 'rule';
  return submitter === undefined ? 'other' : 'api';
}

const SOURCE_PLACE = Object.fromEntries(
  SOURCES.map((source, place) => [source, place]),
) as Readonly<Record<Source, number>>;
