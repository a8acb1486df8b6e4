import { iso, isoOrNull } from '@millrace/workload-kit';
import type { Kind } from '@millrace/api';
import {
  type Duration,
  type Held,
  type JobKind,
  type RetryPolicy,
  nextTick,
  toMs,
} from '@millrace/engine';
import { z } from 'zod';
import { type Handlers, type RouteParts, ok } from '../http/handler.ts';
import { paged } from '../http/paged.ts';
import { heldJson } from './json/held.ts';
import { Refusal } from '../http/refusal.ts';
import { requireKind } from './known-kind.ts';
import cronstrue from 'cronstrue';

type Names = 'listKinds' | 'pauseKind' | 'resumeKind' | 'listSchedules';

export function kindHandlers({
  store,
  registry,
  schedules,
  config,
}: Pick<RouteParts, 'store' | 'registry' | 'schedules'> & {
  readonly config: Parameters<typeof requireKind>[3];
}): Handlers<Names> {
  /** The name of a kind of this process, or of another one on the same database, such as an app that embeds Millrace. */
  async function requireName(name: string): Promise<string> {
    if (registry.get(name) !== undefined) return name;
    const [workers, paused] = await Promise.all([store.control.workers(), store.control.paused()]);
    const known = [...workers.flatMap(({ kinds }) => kinds), ...paused.map(({ kind }) => kind)];
    return known.includes(name) ? name : requireKind(registry, name, () => true, config).kind;
  }

  return {
    async listKinds({ query }) {
      const paused = new Map((await store.control.paused()).map((each) => [each.kind, each]));
      const all = registry
        .all()
        .filter(
          (kind) =>
            isAsked(query.public, kind.public) && isAsked(query.paused, paused.has(kind.kind)),
        );
      const { items, next } = paged('kinds', all, ({ kind }) => kind, query);
      return ok({ kinds: items.map((kind) => kindJson(kind, paused.get(kind.kind))), next });
    },
    async pauseKind({ params, caller, body }) {
      const kind = await requireName(params.kind);
      if (
        await store.control.pause({ kind, by: caller?.name ?? null, reason: body?.reason ?? null })
      )
        return ok({ kind, paused: true });
      throw new Refusal('conflict', `Nothing to change: the kind "${kind}" is already paused.`);
    },
    async resumeKind({ params }) {
      const kind = await requireName(params.kind);
      if (await store.control.resume({ kind })) return ok({ kind, paused: false });
      throw new Refusal('conflict', `Nothing to change: the kind "${kind}" is not paused.`);
    },
    async listSchedules({ query }) {
      const [now, stored] = await Promise.all([store.now(), store.schedules.all()]);
      const all = stored.filter(({ kind }) => query.kind === undefined || query.kind === kind);
      const { items, next } = paged('schedules', all, ({ name }) => name, query);
      const ids = items.flatMap(({ lastJob }) => lastJob ?? []);
      const jobs = ids.length === 0 ? [] : await store.summaries({ ids });
      const madeAt = new Map(jobs.map(({ id, createdAt }) => [id, createdAt]));
      const declared = new Map(schedules().map((each) => [each.name, each]));
      return ok({
        schedules: items.map(({ paused, ...schedule }) => {
          const here = declared.get(schedule.name);
          const ticks = here === undefined ? [] : nextTicks(schedule, now);
          return {
            ...schedule,
            lastTick: iso(schedule.lastTick),
            nextTick: isoOrNull(ticks[0] ?? null),
            words: cronInWords(schedule.cron, schedule.timeZone),
            next: ticks.map(iso),
            missed: here === undefined ? null : (here.missed ?? 'last'),
            overlap: here === undefined ? null : (here.overlap ?? 'skip'),
            lastJobAt: isoOrNull(madeAt.get(schedule.lastJob ?? '') ?? null),
            declared: here !== undefined,
            paused: heldJson(paused),
          };
        }),
        next,
      });
    },
  };
}

const TICKS_SHOWN = 5;

function nextTicks(
  { cron, timeZone }: { readonly cron: string; readonly timeZone: string },
  now: number,
): number[] {
  const ticks: number[] = [];
  for (let tick = nextTick(cron, timeZone, now); tick !== null;) {
    ticks.push(tick);
    tick = ticks.length < TICKS_SHOWN ? nextTick(cron, timeZone, tick) : null;
  }
  return ticks;
}

function isAsked(asked: 'true' | 'false' | undefined, value: boolean): boolean {
  return asked === undefined || (asked === 'true') === value;
}

function kindJson(kind: JobKind, pause: Held | undefined): Kind {
  return {
    name: kind.kind,
    public: kind.public,
    policy: policyInWords(kind.retry),
    maxAttempts: kind.maxAttempts,
    timeoutMs: kind.timeoutMs,
    concurrency: kind.concurrency === Number.MAX_SAFE_INTEGER ? null : kind.concurrency,
    quota: kind.quota,
    input: inputSchema(kind),
    paused: heldJson(pause ?? null),
  };
}

/** The JSON Schema of the data. Some schemas (transforms to a Date, a Map, custom checks) have none. */
function inputSchema(kind: JobKind): Kind['input'] {
  try {
    return { ...z.toJSONSchema(kind.publicInput, { io: 'input' }) };
  } catch {
    return null;
  }
}

/**
 * A schedule as people say it: `At 06:00, on day 1 of the month, in Europe/Berlin`. Null for an expression that only croner,
 * which runs it, understands.
 */
export function cronInWords(cron: string, timeZone: string): string | null {
  try {
    const words = cronstrue.toString(cron, { use24HourTimeFormat: true });
    return `${words}, in ${timeZone}`;
  } catch {
    return null;
  }
}

/** A retry policy as people say it: "3 retries, after 1 min, 5 min and 15 min". */
export function policyInWords(policy: RetryPolicy): string {
  switch (policy.backoff) {
    case 'steps':
      return policy.delays.length === 0
        ? 'no retries'
        : `${retries(policy.delays.length)}, after ${list(policy.delays.map(timeInWords))}`;
    case 'linear':
      return `${retries(policy.retries)}, after ${firstDelays(policy).join(', ')}`;
    case 'exponential':
      return `${retries(policy.retries)}, after ${timeInWords(policy.base)}, doubling up to ${timeInWords(policy.max)}, ±${Math.round(policy.jitter * 100)} %`;
  }
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

function timeInWords(duration: Duration): string {
  const ms = toMs(duration);
  const [unit, factor] = UNITS.find(([, size]) => ms >= size && ms % size === 0) ?? ['ms', 1];
  return `${ms / factor} ${unit}`;
}

/** Up to three delays of a linear policy, and an ellipsis where there are more: "1 s", "2 s", "3 s", "…". */
function firstDelays(policy: { retries: number; step: Duration }): readonly string[] {
  const shown = Array.from({ length: Math.min(policy.retries, 3) }, (_, at) =>
    timeInWords((at + 1) * toMs(policy.step)),
  );
  return policy.retries > 3 ? [...shown, '…'] : shown;
}

function retries(count: number): string {
  return count === 1 ? 'one retry' : `${count} retries`;
}

function list(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
