import { invalidOption } from '@millrace/simulator-kit';
import { againWhenBlocked } from '../data/locking.ts';
import type { Trigger } from '../data/work.ts';
import { ApiError, notFound } from '../errors.ts';
import type { Caller, Org } from '../org.ts';
import { type Reply, methodNotAllowed } from '../rest/request.ts';
import type { Apex, ApexCall, HostObject } from './apex-run.ts';
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
      againWhenBlocked(work.tx, () => {
        const answer = apex.rest(hostRecords(org, work), call);
        if ('unmapped' in answer) throw notMapped();
        if ('allowed' in answer) throw methodNotAllowed(method, answer.allowed);
        // What nobody caught ends the transaction, and nothing of it is kept.
        if ('uncaught' in answer)
          throw new ApiError('APEX_ERROR', answer.uncaught, { status: 500 });
        return { status: answer.status, body: JSON.parse(answer.body) as unknown };
      }),
    );
  };
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
