import type { Events } from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { createCounting, createKeeper } from '@millrace/store-postgres';
import { createBudgets } from '../figures/budgets.ts';
import { type ServedFigures, serveFigures } from '../figures/overview.ts';
import { createSampler } from '../figures/sampler.ts';
import { createTrouble } from '../live/trouble.ts';
import { runChore } from '../workloads/chore.ts';
import type { OpenedWorkloads } from '../workloads/open.ts';
import type { Kinds } from './kinds.ts';
import type { Process } from './process.ts';
import type { Queues } from './queues.ts';

const SAMPLE_EVERY_MS = 20_000;
const TIDY_EVERY_MS = 10 * 60_000;

/** Counts what happens here, keeps it with what the other replicas have counted, and serves the whole. */
export function openFigures(
  { config, log, replica, closing }: Process,
  { schedules, ofOrgs, places, declared }: Kinds,
  { stores, orgs }: Queues,
  { events, workloads }: { readonly events: Events; readonly workloads: OpenedWorkloads },
): ServedFigures {
  const { database, joined, away } = stores;
  const { figures } = database;
  const kindsOfOrgs = new Set(ofOrgs.map(({ kind }) => kind));
  const counting = createCounting({
    events,
    now: Date.now,
    ofOrgs: kindsOfOrgs,
    onCounted: () => keeper.soon(),
  });
  const keeper = createKeeper({
    counting,
    figures,
    replica,
    clock: systemClock,
    outage: createTrouble(log, 'The figures of the overview'),
  });
  figures.listen(counting);
  stores.onMadeBeside(counting.made);
  const served = serveFigures({
    store: joined,
    figures,
    clock: systemClock,
    away: away.places,
    beside: new Set([...kindsOfOrgs, ...places.redis.map(({ kind }) => kind)]),
    schedules,
    documentKinds: declared.documentKinds,
    budgets: createBudgets({
      orgs,
      workloads: workloads.budgets,
      connections() {
        const open = database.database.connections?.();
        if (open === undefined) return null;
        const { total, idle, waiting } = open;
        return { used: total - idle, limit: config.database.poolSize, waiting };
      },
    }),
  });
  const sample = createSampler({ figures, present: served.present, now: Date.now, log });
  const chores = [
    { name: 'sample', everyMs: SAMPLE_EVERY_MS, runOnce: () => sample().then(() => DONE) },
    { name: 'figures', everyMs: TIDY_EVERY_MS, runOnce: () => figures.tidy() },
  ].map((chore) => runChore(chore, { clock: systemClock, log }));
  closing.add(async () => {
    for (const stop of chores) stop();
    await keeper.close();
  });
  return served;
}

const DONE = { more: false };
