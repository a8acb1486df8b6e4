import { type HttpError, scrub } from '@millrace/http';
import { type ErrorKind, type Outcome, SalesforceError } from '../errors.ts';

/**
 * What a code means, as far as it differs from "the request is at fault". The codes are those of the SOAP API Developer
 * Guide, "Core Data Types Used in API Calls" (ExceptionCode and StatusCode), which REST, composites and graphs answer too.
 * Not here, though their names sound temporary: ORG_LOCKED, API_DISABLED_FOR_ORG and FUNCTIONALITY_NOT_ENABLED need
 * somebody to act; EXCEEDED_ID_LIMIT and EXCEEDED_MAX_… speak of the request itself; ENTITY_IS_LOCKED is an approval.
 */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  INVALID_SESSION_ID: 'session',
  INVALID_AUTH_HEADER: 'session',
  REQUEST_LIMIT_EXCEEDED: 'limit',
  LIMIT_EXCEEDED: 'limit',
  UNABLE_TO_LOCK_ROW: 'lock',
  SERVER_UNAVAILABLE: 'unavailable',
  UNKNOWN_EXCEPTION: 'unavailable',
  INTERNAL_ERROR: 'unavailable',
  QUERY_TIMEOUT: 'unavailable',
  API_CURRENTLY_DISABLED: 'unavailable',
  FUNCTIONALITY_TEMPORARILY_UNAVAILABLE: 'unavailable',
  INSERT_UPDATE_DELETE_NOT_ALLOWED_DURING_MAINTENANCE: 'unavailable',
  ORG_IN_MAINTENANCE: 'unavailable',
  TOO_MANY_APEX_REQUESTS: 'unavailable',
  REQUEST_RUNNING_TOO_LONG: 'overrun',
  REALTIME_PROCESSING_TIME_EXCEEDED_LIMIT: 'overrun',
  NOT_FOUND: 'notFound',
  ENTITY_IS_DELETED: 'notFound',
  DUPLICATE_VALUE: 'duplicate',
  DUPLICATE_EXTERNAL_ID: 'duplicate',
  DUPLICATES_DETECTED: 'duplicate',
  STORAGE_LIMIT_EXCEEDED: 'storage',
};

/** Codes of a trigger, a flow or Apex REST, which wrap what happened below them; the message then names it. */
const WRAPPERS = new Set([
  'APEX_ERROR',
  'CANNOT_EXECUTE_FLOW_TRIGGER',
  'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
]);

/**
 * What a wrapper's message may name, the first that is found. Not every temporary code is looked for in it: the text may
 * quote a customer's data. Long transactions of the whole org are too many at the moment; other governor limits are this
 * transaction's own.
 */
const WRAPPED: readonly (readonly [text: string, kind: ErrorKind])[] = [
  ['UNABLE_TO_LOCK_ROW', 'lock'],
  ['ConcurrentPerOrgLongTxn', 'unavailable'],
  ['INSERT_UPDATE_DELETE_NOT_ALLOWED_DURING_MAINTENANCE', 'unavailable'],
  ['REQUEST_RUNNING_TOO_LONG', 'overrun'],
  ['System.LimitException', 'overrun'],
];

/**
 * What a status says without a code, also when a gateway says it in Salesforce's place: it did not let the request through,
 * and one that is too large will not become smaller. 300 is an external id of several records, whose addresses it lists.
 */
const BARE: Readonly<Record<number, ErrorKind>> = {
  300: 'data',
  401: 'session',
  413: 'data',
  429: 'limit',
};

/** The rest of a rolled-back composite or graph: they tell nothing of the cause. */
const HALTED = 'PROCESSING_HALTED';

export interface ErrorItem {
  readonly errorCode: string;
  readonly message: string;
  readonly fields: readonly string[];
}

/** The error of an answer whose status is 300 or more, by its body: parsed JSON, or whatever came. */
export function refusal(
  status: number,
  body: unknown,
  more: { readonly referenceId?: string; readonly secrets?: readonly string[] } = {},
): SalesforceError {
  const items = errorItems(body);
  const item = items.find(({ errorCode }) => errorCode !== HALTED) ?? items[0];
  const referenceId = more.referenceId ?? null;
  if (item === undefined) {
    const kind = BARE[status];
    return new SalesforceError(sentenceOf(status), {
      code: `http_${status}`,
      // Not in Salesforce's form, such as the page of a gateway or a proxy: it says nothing about the request.
      kind: kind ?? 'unavailable',
      outcome: kind === undefined ? 'unknown' : 'refused',
      status,
      referenceId,
    });
  }
  const code = item.errorCode;
  return new SalesforceError(`${code}: ${scrub(item.message, more.secrets ?? [])}`, {
    code,
    kind: kindOfCode(item) ?? kindOfStatus(status),
    outcome: outcomeOf(code, status),
    status,
    fields: item.fields,
    referenceId,
  });
}

/** True for a part of a composite that was undone because another part failed. */
export function isHalted(body: unknown): boolean {
  const items = errorItems(body);
  return items.length > 0 && items.every(({ errorCode }) => errorCode === HALTED);
}

/** Not the day's calls, but too many long ones at once: it is over within seconds, and nothing was done. */
export function isCrowded({ code, message }: HttpError): boolean {
  return code === 'REQUEST_LIMIT_EXCEEDED' && message.includes('ConcurrentRequests');
}

function kindOfCode({ errorCode, message }: ErrorItem): ErrorKind | undefined {
  if (Object.hasOwn(KINDS, errorCode)) return KINDS[errorCode];
  if (!WRAPPERS.has(errorCode)) return undefined;
  return WRAPPED.find(([text]) => message.includes(text))?.[1];
}

/** Of an answer whose code is not in the table. */
function kindOfStatus(status: number): ErrorKind {
  if (status === 404) return 'notFound';
  if (status === 503) return 'unavailable';
  return BARE[status] ?? 'data';
}

/**
 * An answer in Salesforce's own form means that the transaction was rolled back. UNKNOWN_EXCEPTION promises nothing,
 * nor does a 503 that does not come from Salesforce's own front.
 */
function outcomeOf(code: string, status: number): Outcome {
  if (code === 'UNKNOWN_EXCEPTION') return 'unknown';
  return status === 503 && code !== 'SERVER_UNAVAILABLE' ? 'unknown' : 'refused';
}

function sentenceOf(status: number): string {
  if (status < 400) {
    return `Salesforce answered ${status}, a redirect. Is loginUrl the org's own address?`;
  }
  if (status >= 500) return `Salesforce answered ${status} without saying why.`;
  return `The answer was ${status} without an errorCode: not Salesforce's own, but perhaps that of a gateway or proxy.`;
}

function errorItems(body: unknown): ErrorItem[] {
  const list: unknown[] = Array.isArray(body) ? body : [body];
  return list.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { errorCode, statusCode, message, fields } = entry as Record<string, unknown>;
    // Collections and graphs call it statusCode.
    const code = errorCode ?? statusCode;
    if (typeof code !== 'string' || code === '') return [];
    return [
      {
        errorCode: code.slice(0, 100),
        message: typeof message === 'string' ? message : '',
        fields: Array.isArray(fields) ? fields.filter((field) => typeof field === 'string') : [],
      },
    ];
  });
}
