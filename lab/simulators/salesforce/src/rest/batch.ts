import { ApiError, asApiError, errorLine } from '../errors.ts';
import type { Bundle } from './composite.ts';
import { type Reply, type RestRequest, isObject, objectBody, parseAddress } from './request.ts';

const MOST = 25;

export interface BatchPart {
  readonly method: string;
  readonly url: string;
  readonly richInput: unknown;
}

interface PartResult {
  readonly statusCode: number;
  readonly result: unknown;
}

export function readBatch(request: RestRequest): BatchPart[] {
  const { batchRequests } = objectBody(request);
  if (!Array.isArray(batchRequests) || !batchRequests.every(isObject)) {
    throw new ApiError(
      'JSON_PARSER_ERROR',
      'The request body must have an array named batchRequests.',
    );
  }
  if (batchRequests.length > MOST) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `A batch has at most ${MOST} subrequests: here are ${batchRequests.length}.`,
    );
  }
  return batchRequests.map(({ method, url, richInput }) => ({
    method: String(method).toUpperCase(),
    url: String(url),
    richInput,
  }));
}

/** `POST …/composite/batch`: parts that know nothing of each other, each a transaction, each a call. */
export async function batch(bundle: Bundle): Promise<Reply> {
  const parts = readBatch(bundle.request);
  const haltOnError = objectBody(bundle.request)['haltOnError'] === true;
  const results: PartResult[] = [];
  let hasErrors = false;
  for (const part of parts) {
    const result: PartResult = hasErrors && haltOnError ? HALTED : await runPart(bundle, part);
    hasErrors ||= result.statusCode >= 400;
    results.push(result);
  }
  return { status: 200, body: { hasErrors, results } };
}

const HALTED: PartResult = {
  statusCode: 412,
  result: [
    {
      errorCode: 'BATCH_PROCESSING_HALTED',
      message: 'Batch processing halted per request specification',
    },
  ],
};

async function runPart(
  { org, caller, leaf }: Bundle,
  { method, url, richInput }: BatchPart,
): Promise<PartResult> {
  try {
    const address = parseAddress(`/services/data/${url.replace(/^(\/services\/data)?\//, '')}`);
    if (address === null) throw new ApiError('NOT_FOUND', 'The requested resource does not exist');
    const request: RestRequest = {
      ...address,
      method,
      headers: {},
      body: () => richInput ?? {},
      isNested: true,
    };
    const { status, body } = await org.transact(caller, (work) =>
      leaf({ org, caller, work, request }),
    );
    return { statusCode: status, result: body ?? null };
  } catch (thrown) {
    const error = asApiError(thrown);
    return { statusCode: error.status, result: [errorLine(error)] };
  }
}
