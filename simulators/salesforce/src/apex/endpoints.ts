import { invalidOption } from '@millrace/simulator-kit';
import { Blocked } from '../data/blocked.ts';
import { againWhenBlocked } from '../data/locking.ts';
import type { Trigger } from '../data/work.ts';
import { ApiError, notFound } from '../errors.ts';
import { type Caller, NO_FAULTS, type Org } from '../org.ts';
import { type Reply, methodNotAllowed } from '../rest/request.ts';
import type { Apex, ApexCall, HostObject, HostRecords } from './apex-run.ts';
import { hostObjects, shortName } from './host-objects.ts';
import { hostRecords } from './host-records.ts';

export type ApexEndpoints = (caller: Caller, request: ApexCall) => Promise<Reply>;

/** What the package's own classes set around their writes, so that its trigger trusts them. */
const TRUSTED = 'GeneratedDocumentHandler.trusted';

/** Opens the package's Apex on the objects of an org. */
export function installApex(org: Org, open: (objects: readonly HostObject[]) => Apex): Apex {
  if (org.schema.find(org.name('Generated_Document__c')) === undefined) {
    throw invalidOption(
      'apex: the objects have no Generated_Document__c, which the Apex is about.',
    );
  }
  return open(hostObjects(org.schema, org.settings.namespace));
}

/** The package's Apex REST, `/services/apexrest/[namespace/]millrace/v1/…`: one transaction for each call. */
export function apexEndpoints(org: Org, apex: Apex | null): ApexEndpoints {
  const { namespace } = org.settings;
  const base = namespace === null ? '' : `${namespace}/`;
  return async (caller, { method, path, body }) => {
    if (apex === null || !path.startsWith(base)) throw notMapped();
    const call = { method, path: `/${path.slice(base.length)}`, body };
    return org.transact(caller, (work) =>
      againWhenBlocked(work.tx, () => replyOf(apex, hostRecords(org, work), call)),
    );
  };
}

function replyOf(apex: Apex, records: HostRecords, call: ApexCall): Reply {
  const answer = apex.rest(records, call);
  if ('unmapped' in answer) throw notMapped();
  if ('allowed' in answer) throw methodNotAllowed(call.method, answer.allowed);
  // What nobody caught ends the transaction, and nothing of it is kept.
  if ('uncaught' in answer) throw new ApiError('APEX_ERROR', answer.uncaught, { status: 500 });
  return { status: answer.status, body: JSON.parse(answer.body) as unknown };
}

/**
 * Apex that another call comes in between: from its beginning to its commit, just before the next lock that any Apex takes,
 * where what a query found may be gone behind the lock. Where it needs a row that is held, it waits as every call does.
 */
export function apexInBetween(org: Org, apex: Apex | null): (call: ApexCall) => Promise<Reply> {
  const endpoints = apexEndpoints(org, apex);
  return (call) =>
    new Promise((resolve, reject) => {
      if (apex === null) throw notMapped();
      org.asides.push(() => {
        const [user] = org.database.rows(org.schema.require('User'));
        const caller = { userId: user?.Id ?? '', strikes: NO_FAULTS };
        try {
          const inOrg = { ...call, path: `/${call.path}` };
          resolve(
            org.transactAtOnce(caller, (work) => replyOf(apex, hostRecords(org, work), inOrg)),
          );
        } catch (thrown) {
          if (thrown instanceof Blocked) endpoints(caller, call).then(resolve, reject);
          else reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
        }
      });
    });
}

function notMapped(): ApiError {
  return notFound('Could not find a match for URL');
}

/** Triggers on records that come by REST. One record each time, where Salesforce gives it up to 200. */
export function apexTrigger(org: Org, apex: Apex): Trigger {
  return (work, type, old, next) => {
    if (work.writer === 'apex') return {};
    const trusted = work.writer === 'admin' ? TRUSTED : undefined;
    try {
      return apex.fire(hostRecords(org, work), {
        object: shortName(type.name, org.settings.namespace),
        old,
        next,
        trusted,
      });
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      throw new ApiError(thrown.code, thrown.message, { fields: [] });
    }
  };
}

function isRefusal(thrown: unknown): thrown is Error & { code: string } {
  return thrown instanceof Error && 'code' in thrown && /^[A-Z_]+$/.test(String(thrown.code));
}
