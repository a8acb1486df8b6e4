import {
  type Enqueued,
  MillraceError,
  type NewJob,
  StoreUnavailable,
  isFinished,
  refuseUnstorableJob,
} from '@millrace/engine';
import type { Subrequest } from '@millrace/salesforce';
import { type Context, LONGEST, tooLong } from '../context.ts';
import { dueText, timeText } from '../settling/ending.ts';
import { inGroups } from '../levels/level.ts';
import type { Field } from './fields.ts';
import { record, recordInGraph } from './names.ts';
import { type Row } from './row.ts';
import { select, texts } from './select.ts';

/** How often a key may change hands between our looking and our writing. */
const ROUNDS = 20;
/** Records of one call, which are made all or none. */
const AT_ONCE = 200;

/** Jobs with a key are looked up first; unique RequestHash__c decides between those who make one at the same time. */
export async function enqueue(context: Context, jobs: readonly NewJob[]): Promise<Enqueued[]> {
  for (const job of jobs) refuse(context, job);
  const made = new Map<NewJob, Enqueued>();
  const plain = jobs.filter(({ key }) => key === undefined);
  for (const group of inGroups(plain, AT_ONCE)) {
    const answers = await context.salesforce.collections.create(
      context.names.document,
      group.map((job) => record(context.names, newValues(context, job))),
      { allOrNone: true },
    );
    for (const [index, job] of group.entries()) made.set(job, inserted(context, answers[index]));
  }

  const keyed = jobs.filter(({ key }) => key !== undefined);
  const byKey = new Map(keyed.toReversed().map((job) => [storedKey(context, job), job]));
  for (const group of inGroups([...byKey.values()].toReversed(), AT_ONCE))
    for (const [job, answer] of await enqueueKeyed(context, group)) made.set(job, answer);
  return jobs.map((job) => {
    const first = job.key === undefined ? job : (byKey.get(storedKey(context, job)) ?? job);
    const answer = made.get(first);
    if (answer === undefined) throw new StoreUnavailable('Salesforce made no record.');
    return first === job ? answer : { ...answer, created: false };
  });
}

async function enqueueKeyed(
  context: Context,
  jobs: readonly NewJob[],
): Promise<Map<NewJob, Enqueued>> {
  const made = new Map<NewJob, Enqueued>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = jobs.filter((job) => !made.has(job));
    if (left.length === 0) return made;
    const there = await select(
      context,
      `${context.names.field.key} IN (${texts(left.map((job) => storedKey(context, job)))})`,
    );
    const owner = new Map(there.map((row) => [row.key, row]));
    const wanted = left.filter((job) => {
      const row = owner.get(storedKey(context, job));
      if (row === undefined || !keeps(context, row, job)) return true;
      made.set(job, { id: context.ids.jobId(row.id), created: false });
      return false;
    });
    const answers = await context.salesforce.graphs(
      wanted.map((job) => takeKey(context, job, owner.get(storedKey(context, job)))),
    );
    for (const [index, job] of wanted.entries()) {
      const answer = answers[index];
      if (answer?.ok === true) {
        const { body } = answer.responses.at(-1) ?? {};
        made.set(job, {
          id: context.ids.jobId(String((body as { id?: string }).id)),
          created: true,
        });
      } else if (answer !== undefined && answer.failed.kind !== 'duplicate') throw answer.failed;
    }
  }
  throw new StoreUnavailable('Others took the key again and again.');
}

/** A live job, or one that succeeded within the window. */
function keeps({ salesforce }: Context, row: Row, { key }: NewJob): boolean {
  if (!isFinished(row.status)) return true;
  const until = (row.finishedAt ?? 0) + (key?.windowMs ?? 0);
  return row.status === 'SUCCEEDED' && until > salesforce.now();
}

/** The old record gives the key up and the new one has it, together. */
function takeKey(context: Context, job: NewJob, old: Row | undefined): Subrequest[] {
  const { names } = context;
  const insert: Subrequest = {
    method: 'POST',
    url: `sobjects/${names.document}`,
    referenceId: 'record',
    body: recordInGraph(names, newValues(context, job)),
  };
  if (old === undefined) return [insert];
  const giveUp: Subrequest = {
    method: 'PATCH',
    url: `sobjects/${names.document}/${old.id}`,
    referenceId: 'old',
    body: record(names, { key: null }),
  };
  return [giveUp, insert];
}

function newValues(context: Context, job: NewJob): Partial<Record<Field, unknown>> {
  const { due } = job;
  return {
    status: 'QUEUED',
    attempts: 0,
    maxAttempts: job.maxAttempts,
    priority: job.priority ?? undefined,
    kind: job.kind === context.defaultKind ? undefined : job.kind,
    request: job.payload,
    due:
      due === undefined
        ? undefined
        : 'at' in due
          ? timeText(due.at)
          : (dueText(context.salesforce.now(), due.afterMs) ?? undefined),
    key: job.key === undefined ? undefined : storedKey(context, job),
    correlationId: job.correlationId,
    submitter: job.submitter,
    subject: job.subject,
    traceparent: job.traceparent,
  };
}

function storedKey({ keys }: Context, { kind, key }: NewJob): string {
  return keys.write(kind, key?.value ?? '');
}

function refuse(context: Context, job: NewJob): void {
  refuseUnstorableJob(job);
  if (job.payload.length > LONGEST) throw tooLong('payload', job.payload.length);
  if (job.key !== undefined) storedKey(context, job);
  // Records are found again by these values, so a value that does not fit its field is refused and never cut.
  for (const [what, value] of Object.entries({ key: job.key?.value, subject: job.subject })) {
    if (value === undefined || !value.includes('@{')) continue;
    throw new MillraceError(
      what === 'key' ? 'invalid_key' : 'invalid_text',
      `The ${what} holds "@{", which Salesforce takes for a reference. Remove it.`,
    );
  }
  if (job.tenant !== context.tenant)
    throw new MillraceError(
      'unsupported_by_store',
      `The jobs of this Salesforce org are those of the tenant "${context.tenant}", not of "${job.tenant}".`,
    );
  const without = { webhook: job.webhook, schedule: job.schedule };
  for (const [what, value] of Object.entries(without)) {
    if (value === undefined) continue;
    throw new MillraceError(
      'unsupported_by_store',
      `A job on Salesforce has no ${what}. Leave it out, or give the kind to another store.`,
    );
  }
}

function inserted(
  { ids }: Context,
  answer:
    | { id: string | null; success: boolean; errors: readonly { message: string }[] }
    | undefined,
): Enqueued {
  if (answer?.success === true && answer.id !== null)
    return { id: ids.jobId(answer.id), created: true };
  const why = answer?.errors.map(({ message }) => message).join('; ') ?? 'no answer';
  throw new MillraceError('invalid_payload', `Salesforce did not take the job: ${why}`);
}
