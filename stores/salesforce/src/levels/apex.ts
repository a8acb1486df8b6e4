import type {
  ClaimParams,
  Claimed,
  ClaimedJob,
  Lost,
  RenewAnswer,
  SettleAnswer,
} from '@millrace/engine';
import { SalesforceError } from '@millrace/salesforce';
import { payloadOf } from './claimed.ts';
import { type Context, passes, unavailable } from '../context.ts';
import { endingValues } from '../settling/ending.ts';
import { settleGraphs } from '../settling/graphs.ts';
import { type Ending, type Held, type Level, inGroups } from './level.ts';
import { selectByIds } from '../records/select.ts';

/** The start of the trigger's message when the subject of the document was erased while it was made. */
const ERASED = 'ERASED:';
/** Rows that one Apex call changes: 200 fit its limits with room to spare. */
const AT_ONCE = 200;

interface ClaimAnswer {
  readonly now: number;
  readonly jobs: readonly ApexJob[];
  readonly lost: readonly (Omit<Lost, 'kind'> & { readonly kind: string | null })[];
  readonly takenOver: number;
  readonly more: boolean;
  /** Left out by a package of before. */
  readonly suspects?: boolean;
  readonly nextDue: number | null;
}

interface ApexJob {
  readonly id: string;
  readonly epoch: number;
  readonly kind: string | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly priority: number | null;
  readonly createdAt: number;
  readonly correlationId: string | null;
  readonly suspect?: boolean;
  readonly submitter: string | null;
  readonly subject: string | null;
  readonly traceparent: string | null;
  /**
   * The request; null where all requests of the claim together would not fit into Apex's memory (they are then read
   * apart), or there is none.
   */
  readonly requestJson: string | null;
}

/** The package's endpoints lock the rows, and its trigger refuses what a stale lease writes. */
export function createApexLevel(context: Context): Level {
  const { salesforce, names, defaultKind } = context;

  /**
   * Calls the package's endpoint. `repeatable` calls are sent again after a lost answer: they change nothing the
   * second time.
   */
  function call<T>(verb: string, body: object, repeatable = false): Promise<T> {
    return salesforce.apex<T>({ method: 'POST', path: `${names.apex}/${verb}`, body, repeatable });
  }

  async function claim(params: ClaimParams): Promise<Claimed> {
    const claimed: ClaimAnswer[] = [];
    const jobs: ApexJob[] = [];
    for (;;) {
      const taken = (kind: string): number =>
        jobs.filter((job) => (job.kind ?? defaultKind) === kind).length;
      const wants = params.wants
        .map(({ kind, limit }) => ({ kind, limit: Math.min(limit - taken(kind), AT_ONCE) }))
        .filter(({ limit }) => limit > 0);
      const limit = Math.min(params.limit - jobs.length, AT_ONCE);
      const answer = await call<ClaimAnswer>('claim', {
        worker: params.worker,
        claimId: String(params.claim),
        replay: false,
        alone: params.alone ?? false,
        leaseSeconds: Math.ceil(params.leaseMs / 1_000),
        wants: wants.flatMap(({ kind, limit: most }) =>
          kind === defaultKind
            ? [
                { kind: null, limit: most },
                { kind, limit: most },
              ]
            : [{ kind, limit: most }],
        ),
        limit,
        minPriority: params.minPriority ?? null,
        maxAttempts: context.maxAttempts,
      });
      claimed.push(answer);
      jobs.push(...answer.jobs);
      if (answer.jobs.length < AT_ONCE || jobs.length >= params.limit) break;
    }
    return together(claimed, await withRequests(jobs, params));
  }

  function together(answers: readonly ClaimAnswer[], jobs: ClaimedJob[]): Claimed {
    const last = answers.at(-1);
    const now = last?.now ?? salesforce.now();
    const nextDue = last?.nextDue ?? null;
    return {
      jobs,
      now,
      lost: answers.flatMap(({ lost }) =>
        lost.map((each) => ({
          ...each,
          id: context.ids.jobId(each.id),
          kind: each.kind ?? defaultKind,
        })),
      ),
      // The package counts lost jobs apart from those that go on; the port wants the sum.
      takenOver: answers.reduce((sum, { takenOver, lost }) => sum + takenOver + lost.length, 0),
      more: last?.more ?? false,
      suspects: last?.suspects ?? false,
      nextDueMs: nextDue === null ? null : Math.max(0, nextDue - now),
    };
  }

  async function withRequests(
    jobs: readonly ApexJob[],
    params: ClaimParams,
  ): Promise<ClaimedJob[]> {
    const missing = jobs.filter(({ requestJson }) => requestJson === null).map(({ id }) => id);
    const rows = await selectByIds(context, missing, 'whole');
    return jobs.map((job) => ({
      id: context.ids.jobId(job.id),
      epoch: job.epoch,
      claim: params.claim,
      kind: job.kind ?? defaultKind,
      tenant: context.tenant,
      payload: payloadOf({
        request: job.requestJson ?? rows.get(job.id)?.request ?? null,
        subject: job.subject,
      }),
      attempt: job.attempt,
      maxAttempts: job.maxAttempts,
      priority: job.priority,
      createdAt: job.createdAt,
      cursor: null,
      suspect: job.suspect ?? false,
      correlationId: job.correlationId,
      submitter: job.submitter,
      subject: job.subject,
      webhook: null,
      parents: null,
      traceparent: job.traceparent,
    }));
  }

  async function renew(leases: readonly Held[], leaseMs: number): Promise<RenewAnswer[]> {
    const answers: RenewAnswer[] = [];
    for (const group of inGroups(leases, AT_ONCE)) {
      const body = {
        leases: group.map(({ recordId, epoch }) => ({ id: recordId, epoch })),
        leaseSeconds: Math.ceil(leaseMs / 1_000),
      };
      answers.push(...(await call<{ answers: RenewAnswer[] }>('renew', body, true)).answers);
    }
    return answers;
  }

  async function settle(endings: readonly Ending[]): Promise<SettleAnswer[]> {
    const answers = new Map<Ending, SettleAnswer>();
    const keep = (of: readonly Ending[], given: readonly SettleAnswer[]): void =>
      of.forEach((ending, index) => answers.set(ending, given[index] ?? 'stale'));
    const withFiles = endings.filter(hasFiles);
    if (withFiles.length > 0) keep(withFiles, await settleFiles(withFiles));
    const isOfErased = (ending: Ending): boolean => {
      const answer = answers.get(ending);
      return (
        typeof answer === 'object' && 'refused' in answer && answer.refused.message.includes(ERASED)
      );
    };
    // Of an erased document the files are not uploaded; the endpoint empties the rest.
    const rest = endings.filter((ending) => !hasFiles(ending) || isOfErased(ending));
    for (const group of groupsByText(rest)) keep(group, await complete(group));
    return endings.map((ending) => answers.get(ending) ?? 'stale');
  }

  /** Settles one group. A failed call becomes an answer for its own endings only: the other groups have theirs. */
  async function complete(group: readonly Ending[]): Promise<readonly SettleAnswer[]> {
    const body = { outcomes: group.map(outcomeOf) };
    try {
      return (await call<{ answers: SettleAnswer[] }>('complete', body, true)).answers;
    } catch (error) {
      if (!(error instanceof SalesforceError) || !passes(error)) throw error;
      return group.map(() => ({ unknown: unavailable(error) }));
    }
  }

  function settleFiles(endings: readonly Ending[]): Promise<SettleAnswer[]> {
    const now = salesforce.now();
    return settleGraphs(
      context,
      endings,
      (ending) => endingValues(ending, now),
      ({ token, subject }) => ({
        first: [],
        // The trigger compares the subject: a document about someone who was erased meanwhile is not stored.
        values: { presentedToken: token, ...(subject !== null && { subject }) },
        isStale: ({ message }) => message.includes('STALE_LEASE'),
      }),
    );
  }

  return {
    name: 'apex',
    claim,
    renew,
    settle,
    async cancel(recordIds) {
      const all = { canceled: [] as string[], requested: [] as string[] };
      for (const ids of inGroups(recordIds, AT_ONCE)) {
        const { canceled, requested } = await call<typeof all>('cancel', { ids });
        all.canceled.push(...canceled);
        all.requested.push(...requested);
      }
      return all;
    },
    async retry(recordIds) {
      const retried: string[] = [];
      for (const ids of inGroups(recordIds, AT_ONCE))
        retried.push(...(await call<{ retried: string[] }>('retry', { ids })).retried);
      return retried;
    },
  };
}

function hasFiles({ outcome }: Ending): boolean {
  return outcome.move === 'succeed' && outcome.effects.length > 0;
}

function outcomeOf({ recordId, token, subject, outcome }: Ending): object {
  return {
    id: recordId,
    token,
    subject,
    move: outcome.move,
    ...(outcome.move === 'succeed' && {
      result: outcome.result,
      clearRequest: outcome.purgePayload,
    }),
    ...((outcome.move === 'fail' || outcome.move === 'retry') && {
      errorCode: outcome.error.code,
      error: outcome.error.message,
    }),
    ...((outcome.move === 'retry' || outcome.move === 'defer') && {
      delaySeconds: Math.ceil(outcome.delayMs / 1_000),
    }),
    ...(outcome.move === 'defer' && outcome.payload !== null && { requestJson: outcome.payload }),
  };
}

/** Apex has 6 MB for the body and all that it makes of it. */
const TEXT_AT_ONCE = 500_000;

function groupsByText(endings: readonly Ending[]): Ending[][] {
  const groups: Ending[][] = [];
  let length = Infinity;
  for (const ending of endings) {
    const more = JSON.stringify(outcomeOf(ending)).length;
    const current = groups.at(-1);
    if (current === undefined || current.length >= AT_ONCE || length + more > TEXT_AT_ONCE) {
      groups.push([ending]);
      length = more;
    } else {
      current.push(ending);
      length += more;
    }
  }
  return groups;
}
