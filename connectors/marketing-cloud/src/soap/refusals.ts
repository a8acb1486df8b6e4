import { type ErrorKind, MarketingCloudError, type Outcome, invalidAnswer } from '../errors.ts';
import type { Answer } from '../calls/ask.ts';
import { kindOfMessage } from '../calls/words.ts';
import { type Xml, childOf, childrenOf, parseXml, textOf } from './parse.ts';

/**
 * What a code of a result means where its message does not tell: the SOAP API's "Error Codes", 0–99 and 310000–310099. 2 is
 * the generic exception, of which nobody knows how far the work had come.
 */
const CODES: Readonly<Record<string, ErrorKind>> = {
  '1': 'duplicate',
  '2': 'unavailable',
  '310002': 'notFound',
  '310003': 'duplicate',
};

/** The generic exception, by its code or by its sentence: `Exception occurred during [CreateQueryDefinition] ErrorID: …` */
export function isGenericException({ code, message }: MarketingCloudError): boolean {
  return code === '2' || /exception occurred during/i.test(message);
}

/** The message of an answer, such as RetrieveResponseMsg. Throws the error of an answer that is none, or a fault. */
export function messageOf(answer: Answer, name: string): Xml {
  const body = childOf(parseXml(answer.text) ?? undefined, 'Envelope', 'Body');
  const fault = childOf(body, 'Fault');
  if (fault !== undefined) throw faultError(answer, fault);
  if (answer.status !== 200) throw pageError(answer);
  const message = childOf(body, name);
  if (message !== undefined) return message;
  throw invalidAnswer(
    `Marketing Cloud answered 200 with what is not a whole ${name} (${answer.text.length} characters).`,
    answer.status,
  );
}

/** Throws what OverallStatus and the StatusCode of each result refuse: Marketing Cloud says so with a 200. */
export function refuseFailed(message: Xml, results: readonly Xml[]): void {
  const failed = results.find((result) => isFailed(textOf(result, 'StatusCode')));
  if (failed !== undefined) throw resultError(failed);
  const overall = textOf(message, 'OverallStatus');
  if (isFailed(overall)) throw statusError(overall ?? '', textOf(message, 'OverallStatusMessage'));
}

function isFailed(status: string | null): boolean {
  return status !== null && !['ok', 'moredataavailable'].includes(status.trim().toLowerCase());
}

function resultError(result: Xml): MarketingCloudError {
  const code = textOf(result, 'ErrorCode') ?? textOf(result, 'Task', 'ErrorCode') ?? 'Error';
  const details = ['KeyErrors', 'ValueErrors'].flatMap((list) =>
    childrenOf(childOf(result, list), 'DataExtensionError').map((each) =>
      textOf(each, 'ErrorMessage'),
    ),
  );
  const said = [textOf(result, 'StatusMessage'), textOf(result, 'ErrorMessage'), ...details];
  const message = [...new Set(said.filter((each) => each !== null))].join(' ');
  const kind = CODES[code] ?? kindOfMessage(message);
  return new MarketingCloudError(
    message === '' ? `Marketing Cloud refused it (${code}).` : message,
    {
      code,
      kind,
      outcome: kind === 'unavailable' ? 'unknown' : 'refused',
      status: 200,
    },
  );
}

/** Of a Retrieve: `Error: The Request Property(s) X do not match with the fields of Y retrieve`. */
function statusError(overall: string, more: string | null): MarketingCloudError {
  const message = more ?? overall.replace(/^error:\s*/i, '');
  const kind = kindOfMessage(message);
  return new MarketingCloudError(`Marketing Cloud refused it: ${message}`, {
    code: 'Error',
    kind,
    outcome: kind === 'unavailable' ? 'unknown' : 'refused',
    status: 200,
  });
}

/** "SOAP Faults" of the SOAP API: Security and Client faults have no code and nothing was done; Server faults have one. */
function faultError(answer: Answer, fault: Xml): MarketingCloudError {
  const origin = (textOf(fault, 'faultcode') ?? '').replace(/^.*:/, '').trim();
  const message = textOf(fault, 'faultstring')?.trim() ?? '';
  const code = textOf(fault, 'detail', 'apifault', 'Code') ?? origin;
  const { kind, outcome } = meaningOf(origin, message);
  return new MarketingCloudError(
    message === '' ? `Marketing Cloud's SOAP fault ${code}.` : message,
    {
      code: code === '' ? 'Fault' : code,
      kind,
      outcome,
      status: answer.status,
      retryAfterMs: answer.retryAfterMs,
    },
  );
}

function meaningOf(origin: string, message: string): { kind: ErrorKind; outcome: Outcome } {
  if (origin === 'Security') return { kind: 'session', outcome: 'refused' };
  const kind = kindOfMessage(message);
  if (kind === 'limit' || kind === 'permission') return { kind, outcome: 'refused' };
  // It was not let in at all.
  if (/maintenance|outage/i.test(message)) return { kind: 'unavailable', outcome: 'refused' };
  if (origin === 'Client') return { kind: 'data', outcome: 'refused' };
  return { kind: 'unavailable', outcome: 'unknown' };
}

/** Of a gateway that has passed the request on: it may have been done, whatever words its page has about throttling. */
const GATEWAY = new Set([502, 503, 504]);

/** Neither an answer nor a fault: the page of a gateway or a proxy, or the 500 of throttling, which has no documented form. */
function pageError({ status, text, retryAfterMs }: Answer): MarketingCloudError {
  const isThrottled =
    status === 429 || (!GATEWAY.has(status) && kindOfMessage(text.slice(0, 10_000)) === 'limit');
  const kind = isThrottled ? 'limit' : status === 401 ? 'session' : 'unavailable';
  return new MarketingCloudError(
    kind === 'limit'
      ? `Marketing Cloud throttles the account (${status}).`
      : `The answer was ${status} without a SOAP message: not Marketing Cloud's own, but perhaps that of a gateway or proxy.`,
    {
      code: `http_${status}`,
      kind,
      outcome: kind === 'unavailable' ? 'unknown' : 'refused',
      status,
      retryAfterMs,
    },
  );
}
