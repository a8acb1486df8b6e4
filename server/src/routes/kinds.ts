import type { Kind } from '@millrace/api';
import { type JobKind, nextTick } from '@millrace/engine';
import { z } from 'zod';
import { type AppParts, type Handlers, ok } from '../handler.ts';
import { iso, isoOrNull } from '../job-json.ts';
import { policyInWords } from '../policy-words.ts';
import { Refusal } from '../refusal.ts';

type Names = 'listKinds' | 'pauseKind' | 'resumeKind' | 'listSchedules';

export function kindHandlers({ store, registry }: AppParts): Handlers<Names> {
  return {
    async listKinds() {
      const paused = new Map((await store.paused()).map((each) => [each.kind, each]));
      const kinds = registry.all().map((kind) => {
        const pause = paused.get(kind.kind);
        return kindJson(
          kind,
          pause === undefined ? null : { since: iso(pause.since), by: pause.by },
        );
      });
      return ok({ kinds });
    },
    async pauseKind({ params }) {
      const { kind } = registry.require(params.kind);
      // Who did it is not known before there is identity.
      if (await store.pause({ kind, by: null })) return ok({ kind, paused: true });
      throw new Refusal('conflict', `The kind "${kind}" is paused already.`);
    },
    async resumeKind({ params }) {
      const { kind } = registry.require(params.kind);
      if (await store.resume({ kind })) return ok({ kind, paused: false });
      throw new Refusal('conflict', `The kind "${kind}" is not paused.`);
    },
    async listSchedules() {
      if (!store.can.schedules) return ok({ schedules: [] });
      const [now, schedules] = await Promise.all([store.now(), store.schedules()]);
      return ok({
        schedules: schedules.map((schedule) => ({
          ...schedule,
          lastTick: iso(schedule.lastTick),
          nextTick: isoOrNull(nextTick(schedule.cron, schedule.timeZone, now)),
        })),
      });
    },
  };
}

function kindJson(kind: JobKind, paused: Kind['paused']): Kind {
  return {
    name: kind.kind,
    public: kind.public,
    policy: policyInWords(kind.retry),
    maxAttempts: kind.maxAttempts,
    timeoutMs: kind.timeoutMs,
    concurrency: kind.concurrency === Number.MAX_SAFE_INTEGER ? null : kind.concurrency,
    quota: kind.quota,
    input: inputSchema(kind),
    paused,
  };
}

/** What a caller has to send. Some schemas (transforms to a Date, a Map, custom checks) have no such form. */
function inputSchema(kind: JobKind): Kind['input'] {
  try {
    return { ...z.toJSONSchema(kind.input, { io: 'input' }) };
  } catch {
    return null;
  }
}
