import type { Work } from '../data/transaction.ts';
import { ApiError } from '../errors.ts';
import type { Caller, Org } from '../org.ts';
import { type LeafHandler, type Reply, type RestRequest, objectBody } from './request.ts';
import {
  type Subrequest,
  type Subresponse,
  failed,
  halted,
  readSubrequests,
  succeeded,
  toRequest,
} from './subrequests.ts';

export interface Bundle {
  readonly org: Org;
  readonly caller: Caller;
  readonly request: RestRequest;
  /** The handler that each part of the bundle is given to. */
  readonly leaf: LeafHandler;
}

const MOST_PARTS = 25;
const MOST_QUERIES = 5;

/** `POST …/composite`: each part a transaction, or with `allOrNone` all of them one. */
export async function composite(bundle: Bundle): Promise<Reply> {
  const body = objectBody(bundle.request);
  const parts = readSubrequests(body['compositeRequest']);
  checkParts(parts);
  const { org, caller } = bundle;
  const results = new Map<string, unknown>();
  const one = (part: Subrequest, work: Work): Promise<Subresponse> =>
    runPart(bundle, part, work, results);
  if (body['allOrNone'] === true) {
    return { status: 200, body: { compositeResponse: await runTogether(bundle, parts, one) } };
  }
  const responses: Subresponse[] = [];
  for (const part of parts) {
    responses.push(
      await org
        .transact(caller, (work) => one(part, work))
        .catch((thrown: unknown) => failed(part, thrown)),
    );
  }
  return { status: 200, body: { compositeResponse: responses } };
}

/** One transaction: the first that fails takes all of them back. */
export async function runTogether(
  { org, caller }: Pick<Bundle, 'org' | 'caller'>,
  parts: readonly Subrequest[],
  one: (part: Subrequest, work: Work) => Promise<Subresponse>,
): Promise<Subresponse[]> {
  const responses: Subresponse[] = [];
  try {
    await org.transact(caller, async (work) => {
      for (const part of parts) {
        const response = await one(part, work).catch((thrown: unknown) => failed(part, thrown));
        responses.push(response);
        if (response.httpStatusCode >= 300) throw new RolledBack();
      }
    });
    return responses;
  } catch (thrown) {
    if (!(thrown instanceof RolledBack)) throw thrown;
    const last = responses.at(-1);
    return parts.map((part) => (part.referenceId === last?.referenceId ? last : halted(part)));
  }
}

class RolledBack extends Error {}

export async function runPart(
  { org, caller, leaf }: Bundle,
  part: Subrequest,
  work: Work,
  results: Map<string, unknown>,
): Promise<Subresponse> {
  const reply = await leaf({ org, caller, work, request: toRequest(part, results) });
  results.set(part.referenceId, reply.body);
  return succeeded(part, reply);
}

function checkParts(parts: readonly Subrequest[]): void {
  if (parts.length > MOST_PARTS) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `Limit of ${MOST_PARTS} subrequests in a composite request is exceeded: ${parts.length}`,
    );
  }
  const heavy = parts.filter(({ url }) =>
    /\/(query|queryAll|composite)\b/.test(url.split('?')[0] ?? ''),
  );
  if (heavy.length > MOST_QUERIES) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `Limit of ${MOST_QUERIES} query and collection subrequests in a composite request is exceeded: ${heavy.length}`,
    );
  }
}
