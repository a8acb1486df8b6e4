import type {
  Canceled,
  Enqueued,
  NewJob,
  PruneParams,
  Pruned,
  Selection,
  Store,
} from '@millrace/engine';
import type { MemoryStore } from '@millrace/store-memory';
import { type JobRecord, nameOfLease, tagOf } from './ledger.ts';
import type { Observation } from './observation.ts';

/** Observes what people and housekeeping do to jobs. */
export async function observeEnqueue(
  seen: Observation,
  store: Store,
  who: string,
  params: { jobs: readonly NewJob[] },
): Promise<Enqueued[]> {
  const holders = params.jobs.map((job) => holderOf(seen, job));
  const answers = await store.enqueue(params);
  for (const [index, job] of params.jobs.entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    seen.trace.add(
      who,
      `enqueue ${job.kind} ${tagOf(job.payload)}: ${answer.id}${answer.created ? '' : ' was there'}`,
    );
    if (answer.created) seen.followUps.asked(tagOf(job.payload));
    checkKey(seen, job, holders[index], answer);
  }
  await seen.discover('enqueue');
  for (const [index, { key }] of params.jobs.entries()) {
    checkKept(seen, key?.value ?? null, answers[index]);
    const record = seen.ledger.jobs.get(answers[index]?.id ?? '');
    if (record !== undefined && answers[index]?.created === true)
      record.keyWindowMs = key?.windowMs ?? 0;
  }
  return answers;
}

function checkKept(
  { ledger, violations }: Observation,
  key: string | null,
  answer: Enqueued | undefined,
): void {
  if (answer?.created !== true) return;
  const kept = ledger.jobs.get(answer.id)?.key ?? null;
  violations.expect(
    kept === key,
    'keys',
    () => `${answer.id} was made with the key ${key} and has ${kept}`,
  );
}

function holderOf({ ledger }: Observation, { kind, tenant, key }: NewJob): JobRecord | undefined {
  if (key === undefined) return undefined;
  return [...ledger.jobs.values()].find(
    (each) =>
      each.key === key.value && each.kind === kind && each.tenant === tenant && !each.forgotten,
  );
}

function checkKey(
  { violations, now }: Observation,
  { key }: NewJob,
  holder: JobRecord | undefined,
  answer: Enqueued,
): void {
  if (key === undefined || holder === undefined) {
    return violations.expect(
      answer.created,
      'keys',
      () => `${answer.id} was returned, but nobody has the key ${key?.value}`,
    );
  }
  const inWindow = holder.state === 'SUCCEEDED' && now() - (holder.finishedAt ?? 0) < key.windowMs;
  const keeps = holder.state === 'QUEUED' || holder.state === 'PROCESSING' || inWindow;
  const why = (): string =>
    `the key ${key.value} of ${holder.id} (${holder.state}) was answered with ${answer.id}, created: ${answer.created}`;
  violations.expect(
    keeps ? answer.id === holder.id && !answer.created : answer.created,
    'keys',
    why,
  );
  if (!keeps) holder.key = null;
}

export async function observeCancel(
  seen: Observation,
  store: Store,
  who: string,
  params: Selection,
): Promise<Canceled> {
  const { ledger, violations, move } = seen;
  const expected =
    'ids' in params.select
      ? params.select.ids.filter((id) =>
          isOneOf(ledger.jobs.get(id), ['QUEUED', 'PROCESSING', 'FAILED']),
        )
      : [];
  const answer = await store.cancel(params);
  seen.trace.add(
    who,
    `cancel: ${answer.canceled.join(' ') || 'none'}, asked ${answer.requested.join(' ') || 'none'}`,
  );
  const answered = new Set([...answer.canceled, ...answer.requested]);
  for (const id of expected)
    violations.expect(answered.has(id), 'cancel', () => `${id} could be cancelled and was not`);
  for (const id of answered) {
    const record = ledger.jobs.get(id);
    if (record === undefined) continue;
    if (answer.canceled.includes(id)) move(record, 'CANCELED');
    else {
      violations.expect(
        record.state === 'PROCESSING',
        'cancel',
        () => `${id} was asked to stop, but it is ${record.state}`,
      );
      record.cancelAsked = true;
      ledger.asked.add(nameOfLease(record));
    }
    await seen.confirm(record, 'cancel');
  }
  await seen.discover('cancel');
  return answer;
}

export async function observeRetry(
  seen: Observation,
  store: Store,
  who: string,
  params: Selection,
): Promise<{ retried: number; ids: string[] }> {
  const answer = await store.retry(params);
  seen.trace.add(who, `retry: ${answer.ids.join(' ') || 'none'}`);
  for (const id of answer.ids) {
    const record = seen.ledger.jobs.get(id);
    if (record === undefined) continue;
    seen.move(record, 'QUEUED');
    Object.assign(record, {
      attempt: 0,
      suspect: false,
      cancelAsked: false,
      errorCode: null,
      runAt: seen.now(),
      finishedAt: null,
    });
    await seen.confirm(record, 'retry');
  }
  await seen.discover('retry');
  return answer;
}

export async function observeErase(
  seen: Observation,
  store: Store,
  who: string,
  params: { subject: string },
): Promise<number> {
  const count = await store.erase(params);
  seen.trace.add(who, `erase ${params.subject}: ${count}`);
  const records = [...seen.ledger.jobs.values()].filter(
    ({ subject, forgotten }) => subject === params.subject && !forgotten,
  );
  seen.violations.expect(
    records.length === count,
    'erasure',
    () => `${count} jobs about ${params.subject} were erased, there are ${records.length}`,
  );
  for (const record of records) {
    Object.assign(record, { erased: true, cursor: null, key: null });
    // One that waits or runs keeps its subject, unseen, so that erasing again finds it.
    if (record.state !== 'QUEUED' && record.state !== 'PROCESSING') record.subject = null;
    await seen.confirm(record, `erase ${params.subject}`);
  }
  return count;
}

export async function observePrune(
  seen: Observation,
  store: MemoryStore,
  who: string,
  params: PruneParams,
): Promise<Pruned> {
  const answer = await store.upkeep.prune(params);
  if (answer.count === 0) return answer;
  seen.trace.add(who, `prune: ${answer.count}`);
  let gone = 0;
  for (const record of seen.ledger.jobs.values()) {
    if (
      record.finishedAt === null ||
      record.forgotten ||
      (await store.get({ id: record.id })) !== null
    )
      continue;
    const { kind, state, finishedAt } = record;
    const keep = params.keep[kind] ?? params.otherwise;
    const isOld =
      state !== 'QUEUED' && state !== 'PROCESSING' && finishedAt + keep[state] <= seen.now();
    const hasKey =
      state === 'SUCCEEDED' && record.key !== null && seen.now() - finishedAt < record.keyWindowMs;
    seen.violations.expect(
      isOld && !hasKey,
      'retention',
      () => `${record.id} (${state}) was forgotten too early`,
    );
    record.forgotten = true;
    gone += 1;
  }
  seen.violations.expect(
    gone === answer.count,
    'retention',
    () => `${answer.count} jobs were to be forgotten, ${gone} are gone`,
  );
  return answer;
}

function isOneOf(record: JobRecord | undefined, states: readonly JobRecord['state'][]): boolean {
  return record !== undefined && states.includes(record.state) && !record.forgotten;
}
