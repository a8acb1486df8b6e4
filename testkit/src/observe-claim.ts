import type { ClaimParams, Claimed, ClaimedJob, Store } from '@millrace/engine';
import { type JobRecord, isExpired } from './ledger.ts';
import type { Observation } from './observation.ts';

/** What a claim may give, and to whom the leases belong from then on. */
export async function observeClaim(
  seen: Observation,
  store: Store,
  who: string,
  params: ClaimParams,
): Promise<Claimed> {
  const now = seen.now();
  const expired = [...seen.ledger.leased].filter((record) => isExpired(record, now));
  const answer = await store.claim(params);
  const during = `${params.replay === true ? 'replay of' : 'claim'} ${params.claimId}`;
  if (answer.jobs.length + answer.takenOver > 0 || params.replay === true) {
    seen.trace.add(who, `${during}: ${answer.jobs.map(nameOf).join(' ') || 'none'}${took(answer)}`);
  }
  if (params.replay === true) {
    for (const job of answer.jobs) checkReplayed(seen, who, params, job);
    return answer;
  }
  for (const record of expired) takeOver(seen, answer, record);
  // What follows from a lost job's end may be given by this very claim.
  await seen.discover(during);
  checkLimits(seen, params, answer);
  for (const job of answer.jobs) give(seen, who, params, job);
  checkOrder(seen, params, answer);
  for (const record of touched(seen, expired, answer)) await seen.confirm(record, during);
  return answer;
}

function nameOf({ id, epoch, attempt }: ClaimedJob): string {
  return `${id}!${epoch}#${attempt}`;
}

function took({ takenOver, lost }: Claimed): string {
  return takenOver === 0
    ? ''
    : ` (${takenOver} taken over${lost.map(({ id }) => `, ${id} lost`).join('')})`;
}

function touched(
  seen: Observation,
  expired: readonly JobRecord[],
  answer: Claimed,
): Set<JobRecord> {
  return new Set([...expired, ...answer.jobs.flatMap(({ id }) => seen.ledger.jobs.get(id) ?? [])]);
}

function checkReplayed(
  { ledger, violations }: Observation,
  who: string,
  { claimId }: ClaimParams,
  { id, epoch }: ClaimedJob,
): void {
  const record = ledger.jobs.get(id);
  const has =
    record?.state === 'PROCESSING' &&
    record.epoch === epoch &&
    record.holder === who &&
    record.claimId === claimId;
  violations.expect(
    has,
    'replay',
    () =>
      `${id}!${epoch} was given to ${record?.holder} by ${record?.claimId}, not to ${who} by ${claimId}`,
  );
}

/** A lease that has ended takes its job back, with the attempt spent. */
function takeOver(
  { move, now, violations }: Observation,
  { lost }: Claimed,
  record: JobRecord,
): void {
  const last = record.attempt >= record.maxAttempts && !record.cancelAsked;
  violations.expect(
    lost.some(({ id }) => id === record.id) === last,
    'attempts',
    () => `${record.id} is ${last ? 'not ' : ''}told as lost at attempt ${record.attempt}`,
  );
  if (record.cancelAsked) move(record, 'CANCELED');
  else if (last) move(record, 'FAILED');
  else {
    move(record, 'QUEUED');
    record.runAt = now();
  }
}

function give(seen: Observation, who: string, params: ClaimParams, job: ClaimedJob): void {
  const { ledger, violations, now } = seen;
  const record = ledger.jobs.get(job.id);
  if (record === undefined)
    return violations.add('followUps', `${job.id} was claimed, but nobody made it`);
  const name = nameOf(job);
  const live = record.state === 'PROCESSING' && !isExpired(record, now());
  violations.expect(
    !live,
    'oneLease',
    () =>
      `${name} is given to ${who} while ${record.holder} has !${record.epoch} for ${record.until - now()} ms more`,
  );
  violations.expect(
    job.epoch > ledger.epoch,
    'epochsGrow',
    () => `${name} comes after epoch ${ledger.epoch}`,
  );
  violations.expect(
    !record.cancelAsked,
    'cancel',
    () => `${name} starts although it was asked to stop`,
  );
  violations.expect(
    record.runAt <= now(),
    'claimRules',
    () => `${name} is due only in ${record.runAt - now()} ms`,
  );
  violations.expect(
    !ledger.pausedKinds.has(record.kind),
    'claimRules',
    () => `${name} is of the paused kind ${record.kind}`,
  );
  violations.expect(
    (record.priority ?? -Infinity) >= (params.minPriority ?? -Infinity),
    'claimRules',
    () => `${name} is below the priority asked for`,
  );
  violations.expect(
    job.attempt === record.attempt + 1,
    'attempts',
    () => `${name} was executed ${record.attempt} times before`,
  );
  violations.expect(
    record.attempt < record.maxAttempts,
    'attempts',
    () => `${name} had its ${record.maxAttempts} executions`,
  );
  violations.expect(
    job.cursor === record.cursor,
    'agreement',
    () => `${name} starts at ${job.cursor}, saved was ${record.cursor}`,
  );
  if (record.state !== 'PROCESSING') seen.move(record, 'PROCESSING');
  ledger.epoch = Math.max(ledger.epoch, job.epoch);
  Object.assign(record, {
    epoch: job.epoch,
    step: 0,
    until: now() + params.leaseMs,
    claimId: params.claimId,
    holder: who,
  });
  record.attempt += 1;
}

function checkLimits(
  { ledger, violations }: Observation,
  params: ClaimParams,
  answer: Claimed,
): void {
  violations.expect(
    answer.jobs.length <= params.limit,
    'claimRules',
    () => `${params.claimId} got ${answer.jobs.length} of at most ${params.limit}`,
  );
  for (const job of answer.jobs) {
    const want = params.wants.find(({ kind }) => kind === job.kind);
    const same = answer.jobs.filter(({ kind }) => kind === job.kind);
    violations.expect(
      same.length <= (want?.limit ?? 0),
      'claimRules',
      () => `${params.claimId} got ${same.length} ${job.kind} of at most ${want?.limit ?? 0}`,
    );
    if (want?.tenantLimit === undefined) continue;
    const running =
      ledger.runningOf(job.kind, job.tenant) +
      same.filter(({ tenant }) => tenant === job.tenant).length;
    const quota = want.tenantLimit;
    violations.expect(
      running <= quota,
      'tenantQuota',
      () => `${running} ${job.kind} of "${job.tenant}" run; ${quota} may`,
    );
  }
}

/** Among a tenant's own jobs of a kind nothing that comes first may be left behind. */
function checkOrder(
  { ledger, violations, now }: Observation,
  params: ClaimParams,
  answer: Claimed,
): void {
  if (answer.jobs.length === 0) return;
  for (const waiting of ledger.queued) {
    if (
      waiting.runAt > now() ||
      (waiting.priority ?? -Infinity) < (params.minPriority ?? -Infinity)
    )
      continue;
    for (const job of answer.jobs) {
      if (job.kind !== waiting.kind || job.tenant !== waiting.tenant) continue;
      const given = ledger.jobs.get(job.id);
      violations.expect(
        given === undefined || comesFirst(given, waiting),
        'claimRules',
        () => `${job.id} was given before ${waiting.id}`,
      );
    }
  }
}

function comesFirst(a: JobRecord, b: JobRecord): boolean {
  const [first, second] = [a.priority ?? -Infinity, b.priority ?? -Infinity];
  return first > second || (first === second && a.n < b.n);
}
