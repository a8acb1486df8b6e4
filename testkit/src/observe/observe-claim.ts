import type { ClaimParams, Claimed, ClaimedJob, Store } from '@millrace/engine';
import { type JobRecord, enterExecution, heldBy, isExpired, nameOfLease } from './ledger.ts';
import type { Observation } from './observation.ts';

/** Checks what a claim may give, and to whom the leases belong from then on. */
export async function observeClaim(
  seen: Observation,
  store: Store,
  who: string,
  params: ClaimParams,
): Promise<Claimed> {
  const now = seen.now();
  const expired = [...seen.ledger.leased].filter((record) => isExpired(record, now));
  const answer = await store.claim(params);
  noteEmptying(seen, who, params, answer);
  const during = nameOfClaim(params);
  if (answer.jobs.length + answer.takenOver > 0 || params.replay === true) {
    seen.trace.add(who, `${during}: ${answer.jobs.map(nameOf).join(' ') || 'none'}${took(answer)}`);
  }
  if (params.replay === true) {
    for (const job of answer.jobs) checkReplayed(seen, who, params, job);
    return answer;
  }
  for (const record of expired) takeOver(seen, answer, record);
  // Jobs that follow from a lost job's end may be given by this very claim.
  await seen.discover(during);
  checkLimits(seen, params, answer);
  for (const job of answer.jobs) give(seen, who, params, job);
  checkOrder(seen, params, answer);
  checkSuspects(seen, params, answer);
  for (const record of touched(seen, expired, answer)) await seen.confirm(record, during);
  return answer;
}

/** Ends with the claim of a suspect, and where the pool claims as before. Claims of other pools may be on their way. */
function noteEmptying(
  { ledger: { emptying } }: Observation,
  who: string,
  { wants, alone }: ClaimParams,
  { suspects }: Claimed,
): void {
  const asking = emptying.get(who);
  if (alone === true || wants.some(({ kind }) => asking?.has(kind))) emptying.delete(who);
  if (alone !== true && suspects) emptying.set(who, new Set(wants.map(({ kind }) => kind)));
}

function nameOf({ id, epoch, attempt }: ClaimedJob): string {
  return `${id}!${epoch}#${attempt}`;
}

function nameOfClaim({ replay, alone, claim }: ClaimParams): string {
  return `${replay === true ? 'replay of ' : ''}claim${alone === true ? ' alone' : ''} ${claim}`;
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
  { claim }: ClaimParams,
  job: ClaimedJob,
): void {
  const record = ledger.jobs.get(job.id);
  violations.expect(
    heldBy(record, job)?.holder === who && job.claim === claim,
    'replay',
    () =>
      `${nameOf(job)} was given to ${record?.holder} by ${record?.claim}, not to ${who} by ${claim}`,
  );
}

/** The fate of a job whose lease has ended, by the words of the port. */
function takeOver(seen: Observation, { lost }: Claimed, record: JobRecord): void {
  const { move, now, violations } = seen;
  const isLast = record.renewed && record.attempt >= record.maxAttempts;
  const isLost = isLast && record.suspect && !record.cancelAsked;
  const isReported = lost.some(({ id }) => id === record.id);
  violations.expect(
    isReported === isLost,
    'workerLost',
    () =>
      `${record.id} is ${isReported ? '' : 'not '}reported as lost at attempt ${record.attempt} of ${record.maxAttempts}, ` +
      `${record.suspect ? '' : 'not '}alone, ${record.renewed ? '' : 'not '}begun`,
  );
  if (isLost) checkInnocence(seen, record);
  enterExecution(record, 'lost', now());
  if (record.cancelAsked) return move(record, 'CANCELED');
  if (isLost) {
    record.errorCode = 'worker_lost';
    return move(record, 'FAILED');
  }
  move(record, 'QUEUED');
  if (!record.renewed || isLast) record.attempt -= 1;
  Object.assign(record, { suspect: true, runAt: now() });
}

/**
 * Fate may strike a worker whose job is innocent; another job's handler may not. A fail-over is fate: it forgot the end of
 * a job that its worker no longer looks after.
 */
function checkInnocence({ ledger, violations }: Observation, record: JobRecord): void {
  const killer = ledger.killers.get(record.holder);
  violations.expect(
    killer === undefined ||
      killer === nameOfLease(record) ||
      ledger.answered.has(nameOfLease(record)),
    'innocence',
    () => `${record.id} ends worker_lost, but it was ${killer} that ended ${record.holder}`,
  );
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
    job.epoch > record.epoch,
    'epochsGrow',
    () => `${name} comes after epoch ${record.epoch}`,
  );
  violations.expect(
    job.suspect === record.suspect && job.suspect === (params.alone === true),
    'claimRules',
    () => `${name} is ${record.suspect ? 'a' : 'no'} suspect, given by ${nameOfClaim(params)}`,
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
  record.attempt += 1;
  Object.assign(record, {
    epoch: job.epoch,
    claim: job.claim,
    step: 0,
    until: now() + params.leaseMs,
    renewed: false,
    leaseAttempt: record.attempt,
    startedAt: now(),
    holder: who,
  });
}

function checkLimits(
  { ledger, violations }: Observation,
  params: ClaimParams,
  answer: Claimed,
): void {
  violations.expect(
    answer.jobs.length <= (params.alone === true ? 1 : params.limit),
    'claimRules',
    () => `${nameOfClaim(params)} got ${answer.jobs.length} of at most ${params.limit}`,
  );
  for (const job of answer.jobs) {
    const want = params.wants.find(({ kind }) => kind === job.kind);
    const same = answer.jobs.filter(({ kind }) => kind === job.kind);
    violations.expect(
      same.length <= (want?.limit ?? 0),
      'claimRules',
      () => `${nameOfClaim(params)} got ${same.length} ${job.kind} of at most ${want?.limit ?? 0}`,
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
      waiting.suspect !== (params.alone === true) ||
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

/** A claim that could have a suspect learns that there is one. */
function checkSuspects(
  { ledger, violations, now }: Observation,
  { wants, minPriority = -Infinity }: ClaimParams,
  answer: Claimed,
): void {
  const waiting = [...ledger.queued].find((record) => {
    const want = wants.find(({ kind, limit }) => kind === record.kind && limit > 0);
    if (want === undefined || !record.suspect || record.runAt > now()) return false;
    if ((record.priority ?? -Infinity) < minPriority || ledger.pausedKinds.has(record.kind))
      return false;
    return ledger.runningOf(record.kind, record.tenant) < (want.tenantLimit ?? Infinity);
  });
  violations.expect(
    answer.suspects === (waiting !== undefined),
    'claimRules',
    () => `suspects: ${answer.suspects}, while ${waiting?.id ?? 'none'} waits`,
  );
}

function comesFirst(a: JobRecord, b: JobRecord): boolean {
  const [first, second] = [a.priority ?? -Infinity, b.priority ?? -Infinity];
  return first > second || (first === second && a.n < b.n);
}
