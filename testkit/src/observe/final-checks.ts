import type { Job } from '@millrace/engine';
import type { JobRecord } from './ledger.ts';
import type { World } from '../world/world.ts';

/** Checks what must be true once everything has come to rest. */
export async function checkTheEnd(world: World): Promise<void> {
  const jobs = await allJobs(world);
  checkAllThere(world, jobs);
  await checkCounts(world);
  for (const record of world.ledger.jobs.values()) {
    checkResult(world, record, jobs.get(record.id));
    checkProgress(world, record, jobs.get(record.id));
  }
  checkTicks(world);
  checkClosed(world);
}

async function allJobs({ peek }: World): Promise<Map<string, Job>> {
  const jobs = new Map<string, Job>();
  let cursor: string | undefined;
  do {
    const page = await peek.list({
      filter: {},
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { id } of page.jobs) {
      const job = await peek.get({ id });
      if (job !== null) jobs.set(id, job);
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return jobs;
}

function checkAllThere({ ledger, violations }: World, jobs: ReadonlyMap<string, Job>): void {
  for (const record of ledger.jobs.values()) {
    const job = jobs.get(record.id);
    violations.expect(
      (job === undefined) === record.forgotten,
      'noJobLost',
      () => `${record.id} is ${job === undefined ? 'gone' : 'back'}`,
    );
    violations.expect(
      job === undefined || job.state === record.state,
      'agreement',
      () => `${record.id} is ${job?.state}, expected ${record.state}`,
    );
  }
  for (const id of jobs.keys())
    violations.expect(ledger.jobs.has(id), 'followUps', () => `${id} came out of nowhere`);
}

async function checkCounts({ ledger, violations, peek }: World): Promise<void> {
  const expected = new Map<string, number>();
  for (const { kind, tenant, state, forgotten } of ledger.jobs.values()) {
    const subqueue = JSON.stringify([kind, tenant, state]);
    if (!forgotten) expected.set(subqueue, (expected.get(subqueue) ?? 0) + 1);
  }
  for (const { kind, tenant, state, count } of await peek.counts()) {
    const subqueue = JSON.stringify([kind, tenant, state]);
    violations.expect(
      count === (expected.get(subqueue) ?? 0),
      'agreement',
      () => `the store counts ${count} ${subqueue}, there are ${expected.get(subqueue) ?? 0}`,
    );
    expected.delete(subqueue);
  }
  for (const [subqueue, count] of expected)
    violations.add('agreement', `the store counts no ${subqueue}, there are ${count}`);
}

function checkResult(
  { executions, violations }: World,
  record: JobRecord,
  job: Job | undefined,
): void {
  if (record.state !== 'SUCCEEDED' || job === undefined || record.settled === null) return;
  // An erased one keeps no result: that is checked with every write.
  if (record.erased) return;
  const execution = executions.of({ id: record.id, ...record.settled });
  const { kind } = record;
  if (execution === undefined) {
    // Cleanup without a job to clean up after ends before it reports anything.
    return violations.expect(
      kind.endsWith('.cleanup'),
      'results',
      () => `${record.id} (${kind}) succeeded without being executed`,
    );
  }
  violations.expect(
    execution.result === job.result,
    'results',
    () => `${record.id} has the result ${job.result}, its handler returned ${execution.result}`,
  );
}

/** Longer than a second to save, a tick to notice, and a call that was under way when the calm came. */
const PROGRESS_WITHIN_MS = 8_000;

function checkProgress(
  { executions, violations, calmSince, failedOverAt }: World,
  record: JobRecord,
  job: Job | undefined,
): void {
  const execution = executions.of(record);
  if (job === undefined || execution?.reported == null || execution.endedAt === null) return;
  const { reported, endedAt } = execution;
  // Progress that was saved before a fail-over may be lost with it, and nobody knows to save it again.
  if (record.erased || reported.at <= failedOverAt) return;
  if (endedAt - Math.max(reported.at, calmSince) < PROGRESS_WITHIN_MS || execution.signal.aborted)
    return;
  // Not what is there last: the port does not order the writes of one lease, so a slow one may come after a newer.
  const last = JSON.stringify(reported.progress);
  violations.expect(
    record.progress.includes(last) && job.progress !== null,
    'progress',
    () => `${record.id} reported ${last}, saved were ${record.progress.join(' ') || 'none'}`,
  );
}

/** With `missed: all` and no overlap to avoid, every tick since the beginning has run. */
function checkTicks({ scenario, seen, violations }: World): void {
  for (const { schedule, periodMs } of scenario.schedules) {
    const { name, missed, overlap } = schedule;
    const ticks = seen.ticks.of.get(name);
    if (ticks === undefined || missed !== 'all' || overlap !== 'allow') continue;
    for (let tick = nextMultiple(periodMs, ticks.since); tick <= ticks.last; tick += periodMs) {
      violations.expect(
        ticks.run.includes(tick),
        'ticks',
        () => `tick ${tick} of ${name} was forgotten`,
      );
    }
  }
}

function nextMultiple(of: number, after: number): number {
  return (Math.floor(after / of) + 1) * of;
}

function checkClosed({ executions, violations }: World): void {
  for (const { kind, ended, host, id, epoch } of executions.all) {
    if (kind !== 'chunked' || ended !== null || host.clock.state !== 'running') continue;
    violations.add('closing', `${id}!${epoch} was left open in ${host.name}`);
  }
}
