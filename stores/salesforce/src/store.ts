import {
  type Claimed,
  type JobId,
  type Keeps,
  MillraceError,
  type SettleAnswer,
  type SettledOutcome,
  type Settlement,
  type Store,
  type Unknown,
  refuseUnstorableOutcome,
  statesBefore,
} from '@millrace/engine';
import { type Salesforce, SalesforceError } from '@millrace/salesforce';
import { createAdoption } from './levels/adopt.ts';
import { createApexLevel } from './levels/apex.ts';
import { replay } from './levels/claimed.ts';
import { calling, type Context, LONGEST, reaching, tooLong } from './context.ts';
import { enqueue } from './records/enqueue.ts';
import { createGovernor } from './governor.ts';
import { createIds, tokenOf } from './records/ids.ts';
import { createKeys } from './records/keys.ts';
import { ApexAppeared, type Ending, type Level } from './levels/level.ts';
import { type NameOptions, namesOf } from './records/names.ts';
import { createObjectsLevel } from './levels/objects.ts';
import { counts, get, inspect, list, selected, summaries } from './records/queries.ts';
import { erase } from './records/erase.ts';
import { selectByIds } from './records/select.ts';
import { isTemplate } from './records/templates.ts';
import { createWakeups } from './wakeups.ts';

export interface SalesforceStoreOptions {
  readonly salesforce: Salesforce;
  /** Prefix of the job ids: the org's name. */
  readonly name?: string;
  readonly names?: NameOptions;
  /** The tenant whose jobs the records of the org are. */
  readonly tenant?: string;
  /** The kind of records that do not say theirs. */
  readonly defaultKind: string;
  /** Executions of records that do not say. */
  readonly maxAttempts?: number;
  /** Empties RequestJSON__c, which holds the data of the document, when the document is made. */
  readonly purgeRequests?: boolean;
  /** How long outcomes are gathered, to share a call. */
  readonly gatherMs?: number;
  readonly now?: () => number;
}

/** A document that someone waits for: Apex made its record with the lease in it. */
export interface Interactive {
  readonly recordId: string;
  readonly epoch: number;
  readonly token: string;
  readonly subject: string | null;
  /** Named in Submitter__c; records of Apex name nobody. */
  readonly submitter: string | null;
  /** RequestJSON__c. */
  readonly request: string | null;
  readonly attempt: number;
  readonly maxAttempts: number;
}

/** The proof that a caller may settle a record. */
export interface ShownLease {
  readonly recordId: string;
  /** As Apex gave it out with the record. */
  readonly token: string;
  readonly correlationId?: string | undefined;
}

export interface SalesforceStore extends Store {
  /** The part of the package that the org has; found out when it is first asked. */
  level(): Promise<Level['name']>;
  /**
   * Null when the record is not there, or the token is not the lease that Apex gave out with it. The lease of a worker is
   * none: its token is the record's id and its epoch, which anybody can guess.
   */
  interactive(shown: ShownLease): Promise<Interactive | null>;
  /** True: a template of the org (Docgen_Template__c) names this version of a file, or another version of the same file. */
  isTemplate(versionId: string, correlationId?: string): Promise<boolean>;
  settleInteractive(
    lease: Interactive,
    outcome: Settlement['outcome'],
    correlationId?: string,
  ): Promise<Exclude<SettleAnswer, Unknown>>;
}

const KEEPS: Keeps = { tenants: false, effects: true, executions: false, logs: false };
const NOTHING: Omit<Claimed, 'now'> = {
  jobs: [],
  lost: [],
  takenOver: 0,
  more: false,
  suspects: false,
  nextDueMs: null,
};

export function createSalesforceStore(options: SalesforceStoreOptions): SalesforceStore {
  const { salesforce, name = 'salesforce', tenant = '', defaultKind, maxAttempts = 4 } = options;
  const purged = (outcome: SettledOutcome): SettledOutcome =>
    outcome.move === 'succeed' && options.purgeRequests === true
      ? { ...outcome, purgePayload: true }
      : outcome;
  const context: Context = {
    salesforce,
    names: namesOf(options.names),
    ids: createIds(name),
    keys: createKeys(defaultKind),
    tenant,
    defaultKind,
    maxAttempts,
  };
  const governor = createGovernor(salesforce, options.now ?? Date.now);
  const levels = levelsOf(context);
  const adopt = createAdoption(context);
  /**
   * The context for calls that a person waits for: they go first, and go on when batch work has used up its share of
   * the daily calls.
   */
  const waitedFor = (correlationId?: string): Context => ({
    ...context,
    salesforce: calling(salesforce, {
      lane: 'interactive',
      ...(correlationId !== undefined && { correlationId }),
    }),
  });
  let found: Promise<Level['name']> | null = null;

  /** Finds the level out once; after a failure, again with the next question. */
  function levelName(): Promise<Level['name']> {
    found ??= findLevel(waitedFor()).catch((error: unknown) => {
      found = null;
      throw error;
    });
    return found;
  }

  /**
   * Runs a verb at the level of the org. If Apex was deployed or removed meanwhile, the verb is refused, and runs
   * again at the other level.
   */
  async function atLevel<T>(
    run: (level: Level) => Promise<T>,
    among: Record<Level['name'], Level> = levels,
  ): Promise<T> {
    const known = await levelName();
    try {
      return await run(among[known]);
    } catch (error) {
      if (!isOfOtherLevel(error, known)) throw error;
      found = null;
      const now = await levelName();
      if (now !== known) return run(among[now]);
      throw error instanceof ApexAppeared ? error.cause : error;
    }
  }

  return {
    name,
    keeps: KEEPS,
    gatherMs: options.gatherMs ?? 1_000,
    level: () => reaching(levelName),
    /** The list of versions needs no session and counts against no limit; the answer's Date is the clock. */
    now: () =>
      reaching(async () => {
        await salesforce.request({ method: 'GET', path: '/services/data' });
        return salesforce.now();
      }),
    enqueue: ({ jobs }) => reaching(() => enqueue(context, jobs)),
    claim: (params) =>
      reaching(async () => {
        if (params.replay === true) return replay(context, params);
        const isIdle = params.limit <= 0 || !(await governor.mayClaim());
        if (isIdle) return { ...NOTHING, now: salesforce.now() };
        await adopt(await levelName());
        const claimed = await atLevel((level) => level.claim(params));
        return governor.mayHurry() ? claimed : { ...claimed, more: false };
      }),
    renew: ({ leases, leaseMs }) =>
      reaching(async () => {
        const held = leases.map(({ id, epoch }) => ({ recordId: context.ids.recordId(id), epoch }));
        const ours = held.flatMap(({ recordId, epoch }) =>
          recordId === null ? [] : [{ recordId, epoch }],
        );
        if (ours.length === 0) return leases.map(() => 'stale');
        const answers = await atLevel((level) => level.renew(ours, leaseMs));
        return held.map(({ recordId }) =>
          recordId === null ? 'stale' : (answers.shift() ?? 'stale'),
        );
      }),
    settle: ({ settlements }) =>
      reaching(async () => {
        const endings = settlements.map((settlement) =>
          endingOf(context, { ...settlement, outcome: purged(settlement.outcome) }),
        );
        const ours = endings.filter((ending) => ending !== null);
        if (ours.length === 0) return endings.map(() => 'stale');
        const answers = answered(await atLevel((level) => level.settle(ours)));
        return endings.map((ending) => (ending === null ? 'stale' : (answers.shift() ?? 'stale')));
      }),
    cancel: (selection) =>
      reaching(async () => {
        const ids = await selected(context, selection, statesBefore('cancel'));
        if (ids.length === 0) return { canceled: [], requested: [] };
        const { canceled, requested } = await atLevel((level) => level.cancel(ids));
        return {
          canceled: canceled.map(context.ids.jobId),
          requested: requested.map(context.ids.jobId),
        };
      }),
    retry: (selection) =>
      reaching(async () => {
        const records = await selected(context, selection, statesBefore('requeue'));
        const moved = records.length === 0 ? [] : await atLevel((level) => level.retry(records));
        const ids: JobId[] = moved.map(context.ids.jobId);
        return { retried: ids.length, ids };
      }),
    get: ({ id }) => reaching(() => get(context, id)),
    list: (params) => reaching(() => list(context, params)),
    summaries: ({ ids }) => reaching(() => summaries(context, ids)),
    counts: () => reaching(() => counts(context)),
    inspect: ({ id }) => reaching(() => inspect(context, id)),
    erase: ({ subject }) => reaching(() => erase(context, subject)),
    interactive: ({ recordId, token, correlationId }) =>
      reaching(async () => {
        const rows = await selectByIds(waitedFor(correlationId), [recordId], 'whole');
        const row = rows.get(recordId);
        if (row?.status !== 'PROCESSING' || row.leaseToken !== token) return null;
        const { epoch, subject, request, attempts, maxAttempts: most } = row;
        if (token === tokenOf(recordId, epoch)) return null;
        const submitter = row.namedSubmitter;
        const attempt = attempts + 1;
        return { recordId, epoch, token, subject, submitter, request, attempt, maxAttempts: most };
      }),
    isTemplate: (versionId, correlationId) =>
      reaching(() => isTemplate(waitedFor(correlationId), versionId)),
    settleInteractive: (lease, outcome, correlationId) =>
      reaching(async () => {
        const waiting = levelsOf(waitedFor(correlationId));
        const [answer = 'stale'] = answered(
          await atLevel((level) => level.settle([{ ...lease, outcome: purged(outcome) }]), waiting),
        );
        if (isUnknown(answer)) throw answer.unknown;
        return answer;
      }),
    watch: createWakeups(salesforce, { channel: context.names.wakeup, kind: defaultKind }),
    close: () => salesforce.close(),
  };
}

/** Apex that is gone answers 404 at its own address, not for a record. */
function isOfOtherLevel(error: unknown, level: Level['name']): boolean {
  if (level === 'objects') return error instanceof ApexAppeared;
  return (
    error instanceof SalesforceError && error.kind === 'notFound' && error.referenceId === null
  );
}

/** A store that can tell of no settlement throws, as the port says, so that the whole batch is asked about again. */
function answered(answers: SettleAnswer[]): SettleAnswer[] {
  const unknown = answers.find(isUnknown);
  if (unknown !== undefined && answers.every(isUnknown)) throw unknown.unknown;
  return answers;
}

function isUnknown(answer: SettleAnswer): answer is Unknown {
  return typeof answer === 'object' && 'unknown' in answer;
}

function levelsOf(context: Context): Record<Level['name'], Level> {
  return { apex: createApexLevel(context), objects: createObjectsLevel(context) };
}

/** The package's Apex answers, or it is not there. */
async function findLevel({ salesforce, names }: Context): Promise<Level['name']> {
  try {
    await salesforce.apex({ method: 'GET', path: `${names.apex}/version` });
    return 'apex';
  } catch (error) {
    if (!(error instanceof SalesforceError) || error.kind !== 'notFound') throw error;
  }
  await salesforce.query(`SELECT Id FROM ${names.lease} LIMIT 1`);
  return 'objects';
}

function endingOf(context: Context, { job, outcome, children }: Settlement): Ending | null {
  refuseUnstorableOutcome(outcome);
  if (children.length > 0)
    throw new MillraceError('unsupported_by_store', 'A job on Salesforce makes no children.');
  if (outcome.move === 'succeed' && outcome.result.length > LONGEST)
    throw tooLong('result', outcome.result.length);
  if (outcome.move === 'defer' && (outcome.payload ?? '').length > LONGEST)
    throw tooLong('payload', (outcome.payload ?? '').length);
  const recordId = context.ids.recordId(job.id);
  if (recordId === null) return null;
  const { epoch, subject, attempt, correlationId } = job;
  const token = tokenOf(recordId, epoch);
  return { recordId, epoch, token, subject, attempt, outcome, correlationId };
}
