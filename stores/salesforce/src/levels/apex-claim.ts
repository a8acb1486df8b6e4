import type { ClaimParams, Claimed, ClaimedJob, Lost } from '@millrace/engine';
import type { Context } from '../context.ts';
import { selectByIds } from '../records/select.ts';
import { type ApexCall, AT_ONCE } from './level.ts';
import { claimIdOf, payloadOf } from './claimed.ts';

interface ClaimAnswer {
  readonly now: number;
  readonly jobs: readonly ApexJob[];
  readonly lost: readonly (Omit<Lost, 'kind'> & { readonly kind: string | null })[];
  readonly takenOver: number;
  readonly more: boolean;
  readonly suspects: boolean;
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

/** Claims by the package's endpoint, which locks the rows: as many calls as it takes for all that is wanted. */
export function createApexClaim(
  context: Context,
  call: ApexCall,
): (params: ClaimParams) => Promise<Claimed> {
  const { defaultKind } = context;

  return async (params) => {
    const claimed: ClaimAnswer[] = [];
    const jobs: ApexJob[] = [];
    for (;;) {
      const taken = (kind: string): number =>
        jobs.filter((job) => (job.kind ?? defaultKind) === kind).length;
      const wants = params.wants
        .map(({ kind, limit }) => ({ kind, limit: Math.min(limit - taken(kind), AT_ONCE) }))
        .filter(({ limit }) => limit > 0);
      const limit = Math.min(params.limit - jobs.length, AT_ONCE);
      const answer = await call<ClaimAnswer>(
        'claim',
        {
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
        },
        { correlationId: claimIdOf(params) },
      );
      claimed.push(answer);
      jobs.push(...answer.jobs);
      if (answer.jobs.length < AT_ONCE || jobs.length >= params.limit) break;
    }
    return together(context, claimed, await withRequests(context, jobs, params));
  };
}

/** The answers of all calls of a claim as one. */
function together(
  { salesforce, ids, defaultKind }: Context,
  answers: readonly ClaimAnswer[],
  jobs: ClaimedJob[],
): Claimed {
  const last = answers.at(-1);
  const now = last?.now ?? salesforce.now();
  const nextDue = last?.nextDue ?? null;
  return {
    jobs,
    now,
    lost: answers.flatMap(({ lost }) =>
      lost.map((each) => ({
        ...each,
        id: ids.jobId(each.id),
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
  context: Context,
  jobs: readonly ApexJob[],
  params: ClaimParams,
): Promise<ClaimedJob[]> {
  const missing = jobs.filter(({ requestJson }) => requestJson === null).map(({ id }) => id);
  const rows = await selectByIds(context, missing, 'whole');
  return jobs.map((job) => ({
    id: context.ids.jobId(job.id),
    epoch: job.epoch,
    claim: params.claim,
    kind: job.kind ?? context.defaultKind,
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
