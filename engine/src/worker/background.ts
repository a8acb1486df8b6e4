import { MillraceError } from '../errors.ts';
import type { Events } from '../events.ts';
import type { Registry } from '../kinds/registry.ts';
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
 * What a worker does beside jobs, as far as its store has the parts for it: reports, upkeep, retention, schedules.
 * Schedules that cannot be are refused at once; the services are made again for each start.
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
