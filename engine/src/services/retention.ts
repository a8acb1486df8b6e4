import type { Clock } from '../time/clock.ts';
import type { Events } from '../events.ts';
import { keepOf } from '../kinds/kind.ts';
import type { FollowerPart, UpkeepPart } from '../parts.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Service } from './service.ts';

const GATES = 1_000;
const EVERY_MS = 5 * 60_000;
/** A sweep takes at most a twentieth of the time, however large the history. */
const REST_FACTOR = 20;

/** Forgets finished jobs after the time their kind keeps them, in steps that lock nothing for long. */
export function createRetention(params: {
  upkeep: UpkeepPart;
  followers: FollowerPart | undefined;
  registry: Registry;
  clock: Clock;
  events: Events;
}): Service {
  const { upkeep, followers, registry, clock, events } = params;
  const keep = Object.fromEntries(registry.all().map((kind) => [kind.kind, kind.keep]));
  let sweepStarted: number | null = null;
  return {
    name: 'retention',
    async runOnce() {
      sweepStarted ??= clock.now();
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
