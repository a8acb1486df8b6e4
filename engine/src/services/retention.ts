import type { Clock } from '../time/clock.ts';
import type { Events } from '../events.ts';
import { keepOf } from '../kinds/kind.ts';
import type { ControlPart, FollowerPart, Keep, UpkeepPart } from '../port-parts.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Service } from './service.ts';

const GATES = 1_000;
const EVERY_MS = 5 * 60_000;
/** A sweep takes at most a twentieth of the time, however large the history. */
const REST_FACTOR = 20;

/** Jobs of kinds that other workers know: how long these are kept is for them to say. */
const LEFT_TO_OTHERS = keepOf({ succeeded: Infinity, failed: Infinity, canceled: Infinity });

/**
 * Forgets finished jobs after the time their kind keeps them, in steps that lock nothing for long. Processes with different
 * kinds may share a store: a kind that is not known here keeps the usual time only where no worker of the last hour knows it.
 */
export function createRetention(params: {
  upkeep: UpkeepPart;
  control: Pick<ControlPart, 'workers'> | undefined;
  followers: FollowerPart | undefined;
  registry: Registry;
  clock: Clock;
  events: Events;
}): Service {
  const { upkeep, control, followers, registry, clock, events } = params;
  const own = new Map(registry.all().map((kind) => [kind.kind, kind.keep]));
  let keep: Readonly<Record<string, Keep>> = {};
  let sweepStarted: number | null = null;

  async function keptByAll(): Promise<typeof keep> {
    const workers = (await control?.workers()) ?? [];
    const others = workers.flatMap(({ kinds }) => kinds);
    return {
      ...Object.fromEntries(others.map((kind) => [kind, LEFT_TO_OTHERS])),
      ...Object.fromEntries(own),
    };
  }

  return {
    name: 'retention',
    async runOnce() {
      if (sweepStarted === null) {
        keep = await keptByAll();
        sweepStarted = clock.now();
      }
      const { count, more } = await upkeep.prune({ keep, otherwise: keepOf({}) });
      if (count > 0) events.emit('retention.pruned', { count });
      if (more) return { nextMs: 0 };
      for (const gate of (await followers?.closeGates({ limit: GATES })) ?? [])
        events.emit('gate.closed', gate);
      const tookMs = clock.now() - sweepStarted;
      sweepStarted = null;
      return { nextMs: Math.max(EVERY_MS, tookMs * REST_FACTOR) };
    },
  };
}
