import { type ErrorKind, type Outcome, SalesforceError } from '../errors.ts';

const KINDS: Readonly<Record<string, ErrorKind>> = {
  INVALID_SESSION_ID: 'session',
  INVALID_AUTH_HEADER: 'session',
  REQUEST_LIMIT_EXCEEDED: 'limit',
  LIMIT_EXCEEDED: 'limit',
  UNABLE_TO_LOCK_ROW: 'lock',
  SERVER_UNAVAILABLE: 'unavailable',
  UNKNOWN_EXCEPTION: 'unavailable',
  QUERY_TIMEOUT: 'unavailable',
  NOT_FOUND: 'notFound',
  ENTITY_IS_DELETED: 'notFound',
  DUPLICATE_VALUE: 'duplicate',
  DUPLICATE_EXTERNAL_ID: 'duplicate',
  DUPLICATES_DETECTED: 'duplicate',
  STORAGE_LIMIT_EXCEEDED: 'storage',
};

/** Codes that wrap what happened below them; the message then names it. */
const WRAPPERS = new Set(['APEX_ERROR', 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY']);

/** The rest of a rolled-back composite or graph: they tell nothing of the cause. */
const HALTED = 'PROCESSING_HALTED';

/** Salesforce quotes data in its messages; a few lines tell enough. */
const LONGEST_MESSAGE = 1_000;

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
    const kind = kindOfStatus(status);
    const outcome = status >= 500 ? 'unknown' : 'refused';
    return new SalesforceError(sentenceOf(status), {
      code: `http_${status}`,
      kind,
      outcome,
      status,
      referenceId,
    });
  }
  const code = item.errorCode;
  return new SalesforceError(`${code}: ${scrub(item.message, more.secrets ?? [])}`, {
    code,
    kind: kindOfCode(item) ?? kindOfStatus(status, 'data'),
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

/** Not the day's calls, but too many long ones at once: it passes within seconds, and nothing was done. */
export function isCrowded({ code, message }: SalesforceError): boolean {
  return code === 'REQUEST_LIMIT_EXCEEDED' && message.includes('ConcurrentRequests');
}

export function scrub(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[secret]');
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}

function kindOfCode({ errorCode, message }: ErrorItem): ErrorKind | undefined {
  if (WRAPPERS.has(errorCode) && message.includes('UNABLE_TO_LOCK_ROW')) return 'lock';
  return Object.hasOwn(KINDS, errorCode) ? KINDS[errorCode] : undefined;
}

function kindOfStatus(status: number, atServer: ErrorKind = 'unavailable'): ErrorKind {
  if (status === 401) return 'session';
  if (status === 404) return 'notFound';
  if (status === 429) return 'limit';
  // A 5xx that brings an errorCode is Apex or Salesforce speaking, not a gateway.
  if (status >= 500) return status === 503 ? 'unavailable' : atServer;
  return 'data';
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
  return `Salesforce refused the request with ${status} and no errorCode.`;
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
