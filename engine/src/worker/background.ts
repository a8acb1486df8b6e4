import { MillraceError } from '../errors.ts';
import type { Events } from '../events.ts';
import type { Registry } from '../kinds/registry.ts';
import type { ControlPart, WorkerAim } from '../port-parts.ts';
import type { Store } from '../port.ts';
import { createRetention } from '../services/retention.ts';
import {
  type Schedules,
  checkSchedule,
  createScheduler,
  schedulesNow,
} from '../services/schedules.ts';
import type { Service } from '../services/service.ts';
import type { Clock } from '../time/clock.ts';
import { refuseTwice } from './pool-config.ts';
import { REPORT_EVERY_MS } from './status.ts';

/**
 * The services that a worker runs beside its jobs, as far as its store has the parts for them: reports, upkeep,
 * retention, schedules. Schedules that cannot work are refused at once; each start of the worker has services of its own.
 */
export function backgroundOf(params: {
  store: Store;
  registry: Registry;
  clock: Clock;
  events: Events;
  schedules: Schedules;
  report: () => Promise<void>;
}): () => Service[] {
  const { store, registry, clock, events, schedules: given, report } = params;
  const schedules = schedulesNow(given).map((schedule) => checkSchedule(registry, schedule));
  refuseTwice(
    'schedules',
    schedules.map(({ name }) => name),
  );
  if (schedules.length > 0 && store.schedules === undefined) {
    throw new MillraceError(
      'unsupported_by_store',
      `The store "${store.name}" has no schedules. Give the scheduled kinds to another store.`,
    );
  }
  const reporting: Service = {
    name: 'report',
    async runOnce() {
      await report();
      await store.upkeep?.maintain();
      return { nextMs: REPORT_EVERY_MS };
    },
  };
  return () => {
    const services = [reporting];
    const { upkeep, control, followers, schedules: part } = store;
    if (upkeep !== undefined)
      services.push(createRetention({ upkeep, control, followers, registry, clock, events }));
    if (part !== undefined && (typeof given === 'function' || schedules.length > 0))
      services.push(createScheduler({ store, part, registry, schedules: given, events }));
    return services;
  };
}

/**
 * Applies what people ask of this worker through the store. Only a change counts: a worker that was paused in its own
 * process stays so while nobody asks for anything else.
 */
export interface Steering {
  apply(): Promise<void>;
}

export function createSteering(params: {
  readonly control: Pick<ControlPart, 'steered'> | undefined;
  /** The worker's own name, and that of its process. */
  readonly names: readonly string[];
  readonly pause: () => void;
  readonly resume: () => void;
  /** Hands work in chunks back after its next chunk. */
  readonly yieldAll: () => void;
}): Steering {
  const { control, names, pause, resume, yieldAll } = params;
  let aim: WorkerAim = 'running';
  return {
    async apply() {
      const asked = (await control?.steered()) ?? [];
      const next = asked.find(({ worker }) => names.includes(worker))?.to ?? 'running';
      if (next === aim) return;
      const before = aim;
      aim = next;
      if (next === 'running') resume();
      else if (before === 'running') pause();
      if (next === 'drained') yieldAll();
    },
  };
}
