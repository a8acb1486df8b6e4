import { iso, isoOrNull } from '@millrace/workload-kit';
import type { Kind } from '@millrace/api';
import { type Held, type JobKind, nextTick } from '@millrace/engine';
import { z } from 'zod';
import { type RouteParts, type Handlers, ok } from '../http/handler.ts';
import { paged } from '../http/paged.ts';
import { cronInWords } from './json/cron-words.ts';
import { heldJson } from './json/held.ts';
import { policyInWords } from './json/policy-words.ts';
import { Refusal } from '../http/refusal.ts';
import { requireKind } from './known-kind.ts';

type Names = 'listKinds' | 'pauseKind' | 'resumeKind' | 'listSchedules';

export function kindHandlers({
  store,
  registry,
  schedules,
}: Pick<RouteParts, 'store' | 'registry' | 'schedules'>): Handlers<Names> {
  /** Of this process, or of another one that works on the same database, such as an app that has Millrace inside. */
  async function requireName(name: string): Promise<string> {
    if (registry.get(name) !== undefined) return name;
    const [workers, paused] = await Promise.all([store.control.workers(), store.control.paused()]);
    const known = [...workers.flatMap(({ kinds }) => kinds), ...paused.map(({ kind }) => kind)];
    return known.includes(name) ? name : requireKind(registry, name, () => true).kind;
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

/** What a caller has to send. Some schemas (transforms to a Date, a Map, custom checks) have no such form. */
function inputSchema(kind: JobKind): Kind['input'] {
  try {
    return { ...z.toJSONSchema(kind.publicInput, { io: 'input' }) };
  } catch {
    return null;
  }
}
