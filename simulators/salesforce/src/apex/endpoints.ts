import type { Trigger, Work } from '../data/work.ts';
import { ApiError, notFound } from '../errors.ts';
import { invalidOption } from '../invalid-option.ts';
import type { Caller, Org } from '../org.ts';
import { type Reply, methodNotAllowed } from '../rest/request.ts';
import { badRequest, readBody } from './body.ts';
import { claim } from './claim.ts';
import { type Documents, createDocuments } from './documents.ts';
import { cancel, complete, renew, retry } from './outcomes.ts';
import { documentTrigger } from './trigger.ts';

/** The version of the interface, not of the package. */
const VERSION = '1';

export interface ApexRequest {
  readonly method: string;
  /** What follows `/services/apexrest/`. */
  readonly path: string;
  body(): unknown;
}

export type ApexEndpoints = (caller: Caller, request: ApexRequest) => Promise<Reply>;

/** The package's Apex REST, `/services/apexrest/[namespace/]millrace/v1/…`. */
export function apexEndpoints(org: Org): ApexEndpoints {
  const { namespace, apex } = org.settings;
  const base = `${namespace === null ? '' : `${namespace}/`}millrace/v1/`;
  const documents = apex ? createDocuments(org) : null;
  return async (caller, { method, path, body }) => {
    if (documents === null || !path.startsWith(base))
      throw notFound('Could not find a match for URL');
    if (method !== 'GET' && method !== 'POST') throw methodNotAllowed(method, ['GET', 'POST']);
    checkPermission(org, caller);
    const action = path.split('/').at(-1) ?? '';
    const answer = await org.transact(
      caller,
      async (work) =>
        method === 'GET' ? get(org, action) : post(org, documents, work, action, body),
      true,
    );
    return { status: 200, body: answer };
  };
}

function get(org: Org, action: string): unknown {
  if (action === 'version') return { version: VERSION, now: org.clock.now() };
  throw badRequest(`There is no GET ${action}, only GET version.`);
}

async function post(
  org: Org,
  documents: Documents,
  work: Work,
  action: string,
  read: () => unknown,
): Promise<unknown> {
  const now = org.clock.now();
  const body = readBody(parsed(read), documents.object.keyPrefix);
  switch (action) {
    case 'claim':
      return claim(documents, work, body, now);
    case 'renew':
      return renew(documents, work, body, now);
    case 'complete':
      return complete(documents, work, body, now);
    case 'cancel':
      return cancel(documents, work, body, now);
    case 'retry':
      return retry(documents, work, body);
    default:
      throw badRequest(`There is no POST ${action}.`);
  }
}

function parsed(read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof ApiError) throw badRequest(`The body is not JSON: ${thrown.message}`);
    throw thrown;
  }
}

/** The package asks for the custom permission of the service's user. */
function checkPermission(org: Org, { userId }: Caller): void {
  const username = org.database.get(userId)?.['Username'];
  const user = org.settings.users.find((each) => each.username === username);
  if (user?.integration ?? true) return;
  throw new ApiError('INSUFFICIENT_ACCESS', 'This user lacks the permission Docgen Integration.', {
    status: 403,
  });
}

/** The trigger is part of the package's Apex: without it, whatever is written is saved. */
export function packageTrigger(org: Org): { object: string; run: Trigger } | null {
  if (!org.settings.apex) return null;
  if (org.schema.find(org.name('Generated_Document__c')) === undefined) {
    throw invalidOption(
      'apex: the objects have no Generated_Document__c, which the Apex is about.',
    );
  }
  const documents = createDocuments(org);
  return { object: documents.object.name, run: documentTrigger(documents) };
}
