import type { ClaimedJob, NewJob, SettledOutcome, Store } from '@millrace/engine';
import { newJob, only } from '@millrace/store-contract';

let claims = 0;

export async function claimAll(
  store: Store,
  kind = 'work',
  more: { limit?: number; leaseMs?: number; alone?: boolean; worker?: string } = {},
): Promise<ClaimedJob[]> {
  const { limit = 100, leaseMs = 60_000, alone = false, worker = 'worker-1' } = more;
  const wants = [{ kind, limit }];
  const request = { worker, claim: (claims += 1), wants, limit, leaseMs, alone };
  return (await store.claim(request)).jobs;
}

export async function start(store: Store, changes: Partial<NewJob> = {}): Promise<ClaimedJob> {
  await store.enqueue({ jobs: [newJob(changes)] });
  return only(await claimAll(store, changes.kind));
}

export async function settle(
  store: Store,
  job: ClaimedJob,
  outcome: SettledOutcome = succeeded(),
  children: readonly NewJob[] = [],
) {
  return only(await store.settle({ settlements: [{ job, outcome, children }] }));
}

export function succeeded(result = 'null'): SettledOutcome {
  return { move: 'succeed', result, purgePayload: false, effects: [] };
}

export const FAILED: SettledOutcome = {
  move: 'fail',
  error: { code: 'broken', message: 'It broke.', retryable: false },
  stack: 'Error: It broke.\n    at work.ts:1:1',
};
