import { ApiError, type Problem } from '@millrace/api';
import { SilentServer } from './connection/running.ts';
import { DocumentError } from './documents/document-error.ts';
import { EXIT, type ExitCode } from './line/exit.ts';
import { ProgramError } from './program-error.ts';
import { SignInError } from './sign-in/sign-in-error.ts';
import { UsageError } from './line/usage-error.ts';

/** Anything thrown, as what people read and what a script sees. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly sentence: string;
  /** The problems per field, if the server sent them. */
  readonly details: readonly string[];
  /** With --json: the server's own problem, or one in its form. */
  readonly problem: { readonly code: string; readonly detail: string };
}

/** `advice` is what to do where the server does not know the caller. */
export function failureOf(thrown: unknown, url: string, advice: string | null = null): Failure {
  if (thrown instanceof UsageError) return failure(EXIT.usage, 'usage', thrown.message);
  if (thrown instanceof SignInError)
    return failure(exitCodeOfSignIn(thrown), `sign_in_${thrown.trouble}`, thrown.message);
  if (thrown instanceof SilentServer)
    return failure(EXIT.unreachable, 'unreachable', thrown.message);
  if (thrown instanceof DocumentError) return failure(EXIT.refused, thrown.code, thrown.message);
  if (thrown instanceof ProgramError) return failure(thrown.exitCode, thrown.code, thrown.message);
  if (thrown instanceof ApiError) return refusal(thrown.problem, advice);
  if (isUnreachable(thrown))
    return failure(EXIT.unreachable, 'unreachable', unreachable(thrown, url));
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return failure(EXIT.defect, 'defect', `This is a bug in the millrace command:\n${stack}`);
}

/** Worth asking again in a moment: a server that restarts, a store that is away. */
export function isTransient(thrown: unknown): boolean {
  if (thrown instanceof ApiError) return exitCodeOf(thrown.problem) === EXIT.unreachable;
  if (thrown instanceof SignInError) return exitCodeOfSignIn(thrown) === EXIT.unreachable;
  return isUnreachable(thrown);
}

/** The server never got it. Of other failures on the way, nobody knows whether it was done. */
export function neverArrived(thrown: unknown): boolean {
  if (thrown instanceof SignInError) return true;
  return thrown instanceof Error && NOT_CONNECTED.includes(causeCode(thrown));
}

const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

function failure(exitCode: ExitCode, code: string, detail: string): Failure {
  return { exitCode, sentence: detail, details: [], problem: { code, detail } };
}

function refusal(problem: Problem, advice: string | null): Failure {
  // The sentence has the first few of them already.
  const details = (problem.issues ?? [])
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .filter((issue) => !problem.detail.includes(issue));
  const sentence = sentenceOf(problem, advice);
  return { exitCode: exitCodeOf(problem), sentence, details, problem };
}

/** The error's sentence. A caller who sent no token gets only the advice how to sign in. */
function sentenceOf({ code, status, detail }: Problem, advice: string | null): string {
  if (status !== 401 || advice === null) return detail;
  return code === 'unauthenticated' ? advice : `${detail} ${advice}`;
}

function exitCodeOf({ code, status, retryable }: Problem): ExitCode {
  if (code === 'unexpected_answer' || (status >= 500 && retryable)) return EXIT.unreachable;
  if (status === 401 || NOT_ALLOWED.includes(code)) return EXIT.signIn;
  if (NOT_THERE.includes(code)) return EXIT.notFound;
  return EXIT.refused;
}

const NOT_THERE = [
  'job_not_found',
  'unknown_kind',
  'schedule_not_found',
  'template_not_found',
  'batch_not_found',
  'file_not_found',
  'run_not_found',
  'snippet_not_found',
  'data_extension_not_found',
  'report_not_found',
  'report_run_not_found',
  'pipeline_not_found',
  'pipeline_run_not_found',
];

/** The 403s that are about the caller, not about what is asked for. */
const NOT_ALLOWED = [
  'wrong_issuer',
  'wrong_audience',
  'role_missing',
  'tenant_missing',
  'tenant_not_allowed',
  'mid_not_allowed',
  'claim_missing',
];

function exitCodeOfSignIn({ trouble }: SignInError): ExitCode {
  return trouble === 'unreachable' ? EXIT.unreachable : EXIT.signIn;
}

/** Whether a request failed without an answer. fetch throws a TypeError with the reason in its cause, except for time-outs. */
export function isUnreachable(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false;
  if (thrown.name === 'TimeoutError') return true;
  return thrown instanceof TypeError && FETCH_SAYS.includes(thrown.message);
}

/** Before an answer came, and in the middle of one. */
const FETCH_SAYS = ['fetch failed', 'terminated'];

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut while the data was being sent',
  UND_ERR_SOCKET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'it did not answer in time',
};

/** fetch calls no port of another protocol, such as 9 or 6000: https://fetch.spec.whatwg.org/#port-blocking */
const BAD_PORT = 'bad port';

function unreachable(error: Error, url: string): string {
  const advice =
    'Start one with "npm start" or "millrace start", or choose another with --url or MILLRACE_URL.';
  return `No Millrace at ${url}: ${reasonOf(error)}. ${advice}`;
}

export function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  if (cause.message === BAD_PORT)
    return 'no HTTP client calls this port, which belongs to another protocol';
  return REASONS[causeCode(error)] ?? (cause.message || error.message);
}

function causeCode({ cause }: Error): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
