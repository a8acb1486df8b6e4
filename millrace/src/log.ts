import { inspect } from 'node:util';
import type { ClaimedJob, EventLog, Log } from '@millrace/engine';

/** One line each, for programs that have no log of their own. */
export const consoleLog: Log = {
  info: (fields, message) => console.info(lineOf(fields, message)),
  warn: (fields, message) => console.warn(lineOf(fields, message)),
  error: (fields, message) => console.error(lineOf(fields, message)),
};

export const SILENT: Log = { info() {}, warn() {}, error() {} };

/** Adds the job's id to the lines of handlers. */
export function logOf(log: Log, { id, kind, attempt, correlationId }: ClaimedJob): Log {
  const job = { id, kind, attempt, correlationId: correlationId ?? id };
  return {
    info: (fields, message) => log.info({ ...job, ...fields }, message),
    warn: (fields, message) => log.warn({ ...job, ...fields }, message),
    error: (fields, message) => log.error({ ...job, ...fields }, message),
  };
}

/** Only what somebody may have to look into: whoever wants to know of every job listens to the events. */
export function warningsOf(log: Log): EventLog {
  return {
    debug() {},
    info() {},
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    isLevelEnabled: (level) => level === 'warn' || level === 'error',
  };
}

function lineOf(fields: object, message: string): string {
  const { stack, error, ...rest } = fields as {
    readonly stack?: unknown;
    readonly error?: unknown;
  };
  const shown = Object.entries(rest).map(([name, value]) => `${name}=${textOf(value)}`);
  const why = error === undefined ? '' : `${isFailure(error) ? inWords(error) : textOf(error)};`;
  const line = [`millrace: ${message}${why && ':'}`, ...(why ? [why] : []), ...shown].join(' ');
  return typeof stack === 'string' ? `${line}\n${stack}` : line;
}

/** As the engine's `failureInWords`: `millrace/documents` logs here too, and does without the engine. */
function inWords({ code, message }: { code: string; message: string }): string {
  return code === 'unknown' ? message : `${code}: ${message}`;
}

function isFailure(error: unknown): error is { code: string; message: string } {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

/** Never throws, whatever a handler logs: a line that cannot be written is no failure of the job. */
function textOf(value: unknown): string {
  return inspect(value instanceof Error ? value.message : value, { breakLength: Infinity });
}
