import type { EventMap, Events } from './events.ts';
import type { Log } from './kinds/kind.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** The log of a process, as pino has it. */
export interface EventLog extends Log {
  debug(fields: object, message: string): void;
  isLevelEnabled(level: Level): boolean;
}

type Line<Name extends keyof EventMap> = readonly [
  Level,
  string,
  ((event: EventMap[Name]) => object)?,
];

/** Writes the engine's events as log lines: one per execution of a job, and anything that someone may have to look into. */
const LINES: { readonly [Name in keyof EventMap]?: Line<Name> } = {
  'job.succeeded': ['info', 'job succeeded', ended('succeeded')],
  'job.deferred': ['info', 'job deferred', ended('deferred')],
  'job.canceled': ['info', 'job canceled', ended('canceled')],
  'job.handedBack': ['info', 'job handed back', ended('handed back')],
  'job.retrying': ['warn', 'job failed, will be retried', ended('retrying')],
  'job.failed': ['warn', 'job failed', ended('failed')],
  'jobs.moved': ['info', 'jobs moved by hand', ({ ids, by }) => ({ by, count: ids.length })],
  'job.lost': ['error', 'job failed: its worker went away with the last attempt'],
  'lease.fenced': ['warn', 'a late write was refused'],
  'lease.takenOver': [
    'warn',
    'jobs were taken over from workers that went away',
    ({ count, jobs, workers }) => ({ count, jobs, workers }),
  ],
  'worker.blocked': [
    'warn',
    'nothing else could run here for a while: a job computed without a pause, or the process was frozen',
    ({ ms, ...event }) => ({ ...event, ms: Math.round(ms) }),
  ],
  'store.failed': ['error', 'the store failed', ({ during, error }) => ({ during, err: error })],
  'store.recovered': ['info', 'the store is back'],
  'schedule.fired': ['info', 'schedule fired', ticked],
  'schedule.passed': ['info', 'schedule tick passed over', ticked],
  'gate.closed': ['warn', 'a rule did not get all its parents in time'],
  'retention.pruned': ['debug', 'old jobs were forgotten'],
  'worker.state': ['debug', 'worker'],
};

export function logEvents(events: Events, log: EventLog, now: () => number): void {
  const isNews = createNews(now);
  events.onAny((name, event) => {
    const line = LINES[name];
    if (line === undefined || !isNews(name, event)) return;
    const [level, message, fields] = line;
    // Most lines are debug and off: nothing is built for them.
    if (log.isLevelEnabled(level))
      log[level](fields === undefined ? event : fields(event), message);
  });
}

const SAME_AGAIN_MS = 60_000;

/** A store that is away fails with every claim, several times a second: the same failure is logged once a minute, until it is back. */
function createNews(now: () => number) {
  const logged = new Map<string, { readonly why: string; readonly at: number }>();
  return <Name extends keyof EventMap>(name: Name, event: EventMap[Name]): boolean => {
    if (name !== 'store.failed' && name !== 'store.recovered') return true;
    const { during, error } = event as Partial<EventMap['store.failed']>;
    const last = logged.get(during ?? '');
    logged.delete(during ?? '');
    if (name === 'store.recovered') return true;
    const why = error instanceof Error ? error.message : String(error);
    const isSame = last?.why === why && now() - last.at < SAME_AGAIN_MS;
    logged.set(during ?? '', isSame ? last : { why, at: now() });
    return !isSame;
  };
}

/** A failure that was thrown on purpose, or is no Error, has no stack, and neither has its line. */
function ended(outcome: string): (event: { durationMs: number; stack?: string | null }) => object {
  return ({ stack, durationMs, ...event }) => ({
    ...event,
    outcome,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(stack && { stack }),
  });
}

function ticked(event: { tick: number }): object {
  return { ...event, tick: new Date(event.tick).toISOString() };
}
