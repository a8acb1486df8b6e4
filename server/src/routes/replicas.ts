import type { WorkerAim } from '@millrace/engine';
import { type Handlers, type RouteParts } from '../http/handler.ts';
import { ok } from '../http/handler.ts';
import { paged } from '../http/paged.ts';
import { Refusal } from '../http/refusal.ts';
import { replicas } from '../live/boards/replicas.ts';

type Names = 'listReplicas' | 'pauseReplica' | 'drainReplica' | 'resumeReplica';

export function replicaHandlers({ store }: Pick<RouteParts, 'store'>): Handlers<Names> {
  async function steer(
    id: string,
    to: WorkerAim,
    by: string | null,
    reason: string | null,
  ): Promise<{ status: 202; body: { id: string; wanted: WorkerAim } }> {
    const found = (await replicas(store)).find((each) => each.id === id);
    if (found === undefined) throw new Refusal('replica_not_found', `There is no replica "${id}".`);
    if (to !== 'running' && (found.state === 'silent' || found.state === 'stopped'))
      throw new Refusal('conflict', `The replica "${id}" is ${found.state} and cannot be reached.`);
    if (await store.control.steer({ worker: id, to, by, reason }))
      return { status: 202, body: { id, wanted: to } };
    const already = { running: 'running', paused: 'paused', drained: 'drained' };
    throw new Refusal(
      'conflict',
      `Nothing to change: the replica "${id}" is already ${already[to]}.`,
    );
  }

  return {
    async listReplicas({ query }) {
      const { items, next } = paged('replicas', await replicas(store), ({ id }) => id, query);
      return ok({ replicas: items, next });
    },
    pauseReplica: ({ params: { id }, caller, body }) =>
      steer(id, 'paused', caller?.name ?? null, body?.reason ?? null),
    drainReplica: ({ params: { id }, caller, body }) =>
      steer(id, 'drained', caller?.name ?? null, body?.reason ?? null),
    resumeReplica: ({ params: { id }, caller }) => steer(id, 'running', caller?.name ?? null, null),
  };
}
