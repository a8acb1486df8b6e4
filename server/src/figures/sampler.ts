import type { Log } from '@millrace/engine';
import type { Figures, Sample } from '@millrace/store-postgres';
import { createTrouble } from '../live/trouble.ts';
import { grouped } from './grouped.ts';
import type { Present } from './present.ts';
import { waitingOf } from './waiting.ts';

/** Tenants with something that waits or runs, of which a sample is kept. */
const MOST_TENANTS = 10_000;
const MINUTE_MS = 60_000;

/** Keeps how much waits, once a minute: whichever replica comes first. */
export function createSampler(params: {
  figures: Pick<Figures, 'wantsSample' | 'sample'>;
  present: () => Promise<Present>;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Log;
}): () => Promise<void> {
  const { figures, present, now, log } = params;
  const trouble = createTrouble(log, 'Samples of the queue');
  return () =>
    trouble.during(async () => {
      const minute = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
      if (!(await figures.wantsSample({ minute }))) return;
      await figures.sample({ minute, samples: samplesOf(await present()) });
    });
}

export function samplesOf(present: Present): Sample[] {
  const tenants = new Set(
    present.counts
      .filter(({ state }) => state === 'QUEUED' || state === 'PROCESSING')
      .map(({ tenant }) => tenant),
  );
  const byTenant = ofTenants(present);
  return [
    sampleOf(null, present),
    ...[...tenants].slice(0, MOST_TENANTS).map((tenant) => sampleOf(tenant, byTenant(tenant))),
  ];
}

function sampleOf(tenant: string | null, present: Present): Sample {
  const { total, due, oldestDueSeconds } = waitingOf(present, () => true);
  const running = present.counts.reduce(
    (sum, { state, count }) => (state === 'PROCESSING' ? sum + count : sum),
    0,
  );
  return { tenant, waiting: total, due, running, oldestDueSeconds };
}

/** Ten thousand tenants must not look through everybody's counts ten thousand times. */
function ofTenants(present: Present): (tenant: string) => Present {
  const counts = grouped(present.counts, ({ tenant }) => tenant);
  const subqueues = grouped(present.subqueues, ({ tenant }) => tenant);
  return (tenant) => ({
    ...present,
    counts: counts.get(tenant) ?? [],
    subqueues: subqueues.get(tenant) ?? [],
  });
}
