import type { RenewAnswer } from '@millrace/engine';
import type { Context } from '../context.ts';
import { apexCall, AT_ONCE, type Held, inGroups, type Level } from './level.ts';
import { createApexClaim } from './apex-claim.ts';
import { createApexSettle } from './apex-settle.ts';

/** The package's endpoints lock the rows, and its trigger refuses what a stale lease writes. */
export function createApexLevel(context: Context): Level {
  const call = apexCall(context);

  async function renew(leases: readonly Held[], leaseMs: number): Promise<RenewAnswer[]> {
    const answers: RenewAnswer[] = [];
    for (const group of inGroups(leases, AT_ONCE)) {
      const body = {
        leases: group.map(({ recordId, epoch }) => ({ id: recordId, epoch })),
        leaseSeconds: Math.ceil(leaseMs / 1_000),
      };
      answers.push(
        ...(await call<{ answers: RenewAnswer[] }>('renew', body, { repeatable: true })).answers,
      );
    }
    return answers;
  }

  return {
    name: 'apex',
    claim: createApexClaim(context, call),
    renew,
    settle: createApexSettle(context, call),
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
