import { type BulkActionJson, allows } from '@millrace/api';
import { type JobId, type Scope, hasTenant } from '@millrace/engine';
import type { Bulk } from '@millrace/store-postgres';
import { type Handlers, type RouteParts, ok } from '../http/handler.ts';
import { Refusal } from '../http/refusal.ts';
import { askedOf } from '../bulk/asked.ts';
import { freeze } from '../bulk/freeze.ts';
import { BULK_KIND } from '../bulk/kind.ts';
import { bulkJson } from './json/bulk.ts';
import { filterOf } from './json/filter.ts';
import { seenBy } from './json/job.ts';

type Names = 'freezeBulk' | 'runBulk' | 'undoBulk' | 'getBulk' | 'listBulk';
type Caller = { readonly name: string; readonly roles: readonly string[] } | null;

export function bulkHandlers({
  queue,
  store,
  bulk: log,
  jobs,
  scope,
}: RouteParts): Handlers<Names> {
  async function require(id: string): Promise<Bulk> {
    const found = await log.get({ id });
    if (found !== null && isShown(scope, found)) {
      scope.accessTrace?.touched(found.tenants ?? 'all');
      return found;
    }
    if (found !== null) scope.accessTrace?.denied();
    throw new Refusal('bulk_not_found', `There is no bulk action "${id}".`);
  }

  async function jsonOf(bulk: Bulk, caller: Caller): Promise<BulkActionJson> {
    return bulkJson(queue, bulk, seenBy(caller as never));
  }

  /** As a job of the caller, in the tenant that the action is about; the key makes it one. */
  async function startJob(
    bulk: Bulk,
    caller: Caller,
    correlationId: string,
    isUndo: boolean,
  ): Promise<JobId> {
    const { id } = await jobs.enqueue({
      kind: BULK_KIND,
      data: { bulk: bulk.id, ...(isUndo && { undo: true }) },
      tenant: bulk.tenant,
      key: `${bulk.id}-${bulk.at}${isUndo ? '-undo' : ''}`,
      keyWindow: '7d',
      correlationId,
      priority: 100,
      ...(caller !== null && { submitter: bulk.submitter ?? caller.name }),
    });
    return id;
  }

  return {
    async freezeBulk({ body, caller }) {
      const { action, filter = null, group = null, ids, priority = null } = body;
      mayDo(action, caller);
      // Up to this millisecond, and with it.
      const at = (await store.now()) + 1;
      const me = caller?.name ?? null;
      const meant =
        ids === undefined ? { filter: filterOf(filter ?? {}, { me, before: at }), group } : { ids };
      const { frozen, ids: found } = await freeze(queue, action, meant);
      const bulk = await log.add({
        at,
        tenant: scope.tenant,
        submitter: me,
        tenants: scope.tenants === 'all' ? null : scope.tenants,
        owner: scope.owner,
        asked: JSON.stringify({ action, filter, group, priority }),
        frozen: JSON.stringify(frozen),
        ids: found,
      });
      return { status: 201, body: await jsonOf(bulk, caller) };
    },
    async runBulk({ params: { id }, caller, correlationId }) {
      const bulk = await require(id);
      mayDo(askedOf(bulk).action, caller);
      if (bulk.job !== null) return ok(await jsonOf(bulk, caller));
      const job = await startJob(bulk, caller, correlationId, false);
      const started = (await log.start({ id, job })) ?? bulk;
      return { status: 202, body: await jsonOf(started, caller) };
    },
    async undoBulk({ params: { id }, caller, correlationId }) {
      const bulk = await require(id);
      if (bulk.undoneBy !== null) return ok(await jsonOf(bulk, caller));
      const { undo } = await jsonOf(bulk, caller);
      if (!undo.possible) throw new Refusal('conflict', undo.sentence);
      const job = await startJob(bulk, caller, correlationId, true);
      const started = (await log.undo({ id, job })) ?? bulk;
      return { status: 202, body: await jsonOf(started, caller) };
    },
    async getBulk({ params: { id }, caller }) {
      return ok(await jsonOf(await require(id), caller));
    },
    async listBulk({ query, caller }) {
      const { bulk, next } = await log.list({
        limit: query.limit,
        ...(query.cursor !== undefined && { cursor: query.cursor }),
        tenants: scope.tenants === 'all' ? null : scope.tenants,
        submitter: scope.owner,
      });
      if (bulk.length > 0) scope.accessTrace?.touched(scope.tenants);
      return ok({ bulk: await Promise.all(bulk.map((each) => jsonOf(each, caller))), next });
    },
  };
}

/** As for one job: deleting is for admins. */
function mayDo(action: string, caller: Caller): void {
  if (action !== 'delete' || caller === null || allows('admin', caller.roles)) return;
  throw new Refusal(
    'role_missing',
    `Deleting jobs needs the role admin, which ${caller.name} does not have.`,
  );
}

/** It counts jobs of all the tenants that it is about: whoever sees it has to see them all. */
function isShown(scope: Scope, { tenant, tenants, submitter }: Bulk): boolean {
  const isWithin =
    tenants === null ? scope.tenants === 'all' : tenants.every((each) => hasTenant(scope, each));
  return (
    isWithin && hasTenant(scope, tenant) && (scope.owner === null || scope.owner === submitter)
  );
}
