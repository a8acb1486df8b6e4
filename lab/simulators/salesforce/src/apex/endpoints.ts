import { invalidOption } from '@millrace/simulator-kit';
import { Blocked } from '../data/locks.ts';
import { againWhenBlocked, atOnce } from '../data/locking.ts';
import type { Trigger, Work } from '../data/transaction.ts';
import { ApiError, notFound } from '../errors.ts';
import { type Caller, NO_FAULTS, type Org } from '../org.ts';
import { methodNotAllowed, type Reply } from '../rest/request.ts';
import type { Apex, ApexCall, HostField, HostObject, HostRecords } from './apex-run.ts';
import type { Schema } from '../schema/schema.ts';
import type { Field, FieldType, SObject } from '../schema/sobject.ts';

export type ApexEndpoints = (caller: Caller, request: ApexCall) => Promise<Reply>;

/** The flags that the package's own classes set around their writes, so that its trigger trusts them. */
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
  // An error that nobody caught ends the transaction, and nothing of it is kept.
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

const DISPLAY_TYPES: Partial<Record<FieldType, string>> = {
  longtext: 'TEXTAREA',
  int: 'INTEGER',
};

/** The objects of the org as the package's Apex knows them: a package writes its own names without its namespace. */
function hostObjects({ objects }: Schema, namespace: string | null): HostObject[] {
  const short = (name: string): string => shortName(name, namespace);
  const fieldOf = (field: Field): HostField => ({
    name: short(field.name),
    column: field.name,
    type: DISPLAY_TYPES[field.type] ?? field.type.toUpperCase(),
    scale: field.scale,
    length: field.length,
    required: field.required,
    unique: field.unique,
    caseSensitive: field.caseSensitive,
    targets: field.referenceTo.map(short),
    relationship: field.relationshipName === null ? '' : short(field.relationshipName),
    values: field.values,
    initial: field.initial,
    createable: field.createable,
    updateable: field.updateable,
  });
  return objects.map(({ name, keyPrefix, fields }) => ({
    name: short(name),
    prefix: keyPrefix,
    fields: [...fields.values()].map(fieldOf),
  }));
}

function shortName(name: string, namespace: string | null): string {
  return namespace !== null && name.startsWith(`${namespace}__`)
    ? name.slice(namespace.length + 2)
    : name;
}

/** The custom permission of the service's user. */
const INTEGRATION = 'Docgen_Integration';

/** A transaction of the org for the package's Apex: the same records, locks, checks and rollbacks as for everybody. */
function hostRecords(org: Org, work: Work): HostRecords {
  const { tx } = work;
  // Records that Apex writes have been through the triggers already, all at once.
  const own: Work = { ...work, writer: 'apex' };
  const steps = org.dml.steps;
  const objectOf = (name: string): SObject => org.schema.require(org.name(name));
  return {
    userId: work.userId,
    now: org.clock.now,
    rows: (name) => tx.rows(objectOf(name)),
    byId(_, id) {
      const row = tx.get(id);
      return row === undefined || row['IsDeleted'] === true ? undefined : row;
    },
    lock(id) {
      org.asides.shift()?.();
      tx.lockAtOnce(id);
    },
    insert: (name, values) => atOnce(tx, steps.insert(own, objectOf(name), values)),
    update: (name, id, values) => atOnce(tx, steps.update(own, objectOf(name), id, values)),
    remove: (name, id) => atOnce(tx, steps.remove(own, objectOf(name), id)),
    mark: tx.mark,
    rollbackTo: tx.rollbackTo,
    hasPermission(name) {
      const username = org.database.get(work.userId)?.['Username'];
      const user = org.settings.users.find((each) => each.username === username);
      return name === INTEGRATION && (user?.integration ?? true);
    },
  };
}
