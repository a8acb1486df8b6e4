import type { JobRecord } from './ledger.ts';
import type { SimulatedProcess } from '../world/process.ts';
import type { World } from '../world/world.ts';

/**
 * Watches, while nothing is wrong any more, whether due work lies about beside workers with room for it.
 * Longer than a handler may take to react to an abort, since it keeps its place until then.
 */
const PATIENCE_MS = 8_000;
/** A job that came before the calm may have lost its hint: then the next poll finds it. */
const LONGEST_INTERVAL_MS = 60_000;

export interface PromptnessWatch {
  /** Called every second. */
  look(): void;
}

export function watchPromptness(world: World): PromptnessWatch {
  const { ledger, violations, time, seen } = world;
  const calmSince = seen.now();
  const since = new Map<JobRecord, number>();
  return {
    look() {
      for (const record of since.keys()) if (!ledger.queued.has(record)) since.delete(record);
      for (const record of ledger.queued) {
        const isFound = record.queuedAt > calmSince || seen.now() > calmSince + LONGEST_INTERVAL_MS;
        const process = isFound && isWaiting(world, record) ? idleFor(world, record) : null;
        if (process === null) since.delete(record);
        else if (!since.has(record)) since.set(record, time.now());
        const waited = time.now() - (since.get(record) ?? time.now());
        if (process === null || waited < PATIENCE_MS) continue;
        violations.add(
          'promptness',
          `${record.id} (${record.kind}) waits while ${process.host.name} has room`,
        );
        since.delete(record);
      }
    },
  };
}

function isWaiting({ ledger, scenario, seen }: World, record: JobRecord): boolean {
  const { kind, tenant, runAt, suspect } = record;
  // A suspect waits until a worker is empty, however long that takes.
  if (suspect || runAt > seen.now() || ledger.pausedKinds.has(kind)) return false;
  return kind !== 'tenanted' || ledger.runningOf(kind, tenant) < scenario.settings(kind).quota;
}

function idleFor(
  { fleet, executions, ledger }: World,
  { kind }: JobRecord,
): SimulatedProcess | null {
  // Any worker may be emptying itself for a suspect that waits.
  if ([...ledger.queued].some(({ suspect }) => suspect)) return null;
  const alone = new Set([...ledger.leased].flatMap((job) => (job.suspect ? [job.holder] : [])));
  return (
    fleet.running().find(({ host, clock, worker, plan }) => {
      const status = worker.status();
      const pool = status.pools.find(({ kinds }) => kinds.includes(kind));
      // Also where another worker has taken the suspect meanwhile: nothing says so to those that empty themselves.
      if (alone.has(host.name) || ledger.emptying.has(host.name)) return false;
      if (clock.state !== 'running' || status.state !== 'running' || pool === undefined)
        return false;
      const config = plan.pools.find(({ name }) => name === pool.name);
      if (config?.minPriority !== undefined || config?.pauseWindows !== undefined) return false;
      return (
        pool.inFlight < pool.concurrency &&
        executions.placed(host, [kind]) < host.limitsOf(kind).kind
      );
    }) ?? null
  );
}
