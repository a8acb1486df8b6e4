import { ApiError, asApiError, errorLine } from '../errors.ts';
import { isObject, parseAddress, type Reply, type RestRequest } from './request.ts';

/** One part of a composite or of a graph. */
export interface Subrequest {
  readonly method: string;
  readonly url: string;
  readonly referenceId: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Subresponse {
  readonly body: unknown;
  readonly httpHeaders: Readonly<Record<string, string>>;
  readonly httpStatusCode: number;
  readonly referenceId: string;
}

export function readSubrequests(list: unknown): Subrequest[] {
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) {
    throw new ApiError(
      'JSON_PARSER_ERROR',
      'The request body must have an array named compositeRequest.',
    );
  }
  const seen = new Set<string>();
  return list.map(({ method, url, referenceId, body, httpHeaders }) => {
    if (typeof method !== 'string' || typeof url !== 'string' || typeof referenceId !== 'string') {
      throw new ApiError(
        'JSON_PARSER_ERROR',
        'Each subrequest needs a method, a url and a referenceId.',
      );
    }
    if (!/^[A-Za-z0-9_]+$/.test(referenceId)) {
      throw new ApiError(
        'INVALID_INPUT',
        `Provided referenceId ('${referenceId}') must start with a letter or a number, and it can contain only letters, numbers and underscores ('_').`,
      );
    }
    if (seen.has(referenceId)) {
      throw new ApiError('INVALID_INPUT', `Duplicate referenceId provided ('${referenceId}').`);
    }
    seen.add(referenceId);
    return {
      method: method.toUpperCase(),
      url,
      referenceId,
      body,
      headers: headersOf(httpHeaders),
    };
  });
}

function headersOf(given: unknown): Record<string, string> {
  if (!isObject(given)) return {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

/** The subrequest with its references filled in. */
export function toRequest(
  { method, url, body, headers }: Subrequest,
  results: Results,
): RestRequest {
  const address = parseAddress(resolveInText(url, results));
  if (address === null) {
    throw new ApiError('NOT_FOUND', 'The requested resource does not exist');
  }
  const filled = resolve(body, results);
  return { ...address, method, headers, body: () => filled ?? {}, isNested: true };
}

export function succeeded(
  { referenceId }: Subrequest,
  { status, body, headers }: Reply,
): Subresponse {
  const location = headers?.['location'];
  return {
    body: body ?? null,
    httpHeaders: location === undefined ? {} : { Location: location },
    httpStatusCode: status,
    referenceId,
  };
}

export function failed({ referenceId }: Subrequest, thrown: unknown): Subresponse {
  const error = asApiError(thrown);
  return { body: [errorLine(error)], httpHeaders: {}, httpStatusCode: error.status, referenceId };
}

/** The answer of the others when one of them took all of them back. */
export function halted(request: Subrequest): Subresponse {
  return failed(
    request,
    new ApiError(
      'PROCESSING_HALTED',
      'The transaction was rolled back since another operation in the same transaction failed.',
    ),
  );
}

const REFERENCE = /@\{([A-Za-z0-9_]+)((?:\.[A-Za-z0-9_]+|\[\d+\])*)\}/g;

/** Bodies of the subrequests before, by their referenceId. A failed one has none to give. */
type Results = ReadonlyMap<string, unknown>;

/** Puts results in place of `@{ref.path}`, in every text of a value. */
function resolve(value: unknown, results: Results): unknown {
  if (typeof value === 'string') return resolveText(value, results);
  if (Array.isArray(value)) return value.map((each) => resolve(each, results));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, resolve(each, results)]),
  );
}

/** A text that is one reference becomes its value, number or text; inside a longer text it becomes text. */
function resolveText(text: string, results: Results): unknown {
  const whole = new RegExp(`^${REFERENCE.source}$`).exec(text);
  if (whole !== null) return lookUp(results, whole[1] ?? '', whole[2] ?? '', text);
  return resolveInText(text, results);
}

function resolveInText(text: string, results: Results): string {
  return text.replaceAll(REFERENCE, (all, name: string, path: string) =>
    String(lookUp(results, name, path, all)),
  );
}

function lookUp(results: Results, name: string, path: string, all: string): unknown {
  let value = results.get(name);
  for (const step of path.match(/[A-Za-z0-9_]+/g) ?? []) {
    value = Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined;
  }
  if (value !== undefined) return value;
  throw new ApiError(
    'PROCESSING_HALTED',
    `Invalid reference specified. No value for ${all.slice(2, -1)} found in ${name}`,
  );
}
