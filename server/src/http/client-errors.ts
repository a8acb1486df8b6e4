import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, PROBLEM_TYPE, problemOf } from '@millrace/api';
import { CORRELATION_HEADER } from './correlation.ts';
import { SECURITY_HEADERS } from './headers.ts';
import type { Logger } from '../log/log.ts';

const REFUSED: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
const MALFORMED = ['invalid_request', 'Malformed HTTP request.'] as const;

/** Answers bytes that are no valid HTTP request with a problem, like any other refusal. */
export function answerClientErrors(
  log: Logger,
): (error: Error & { code: string }, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    const [code, detail] = REFUSED[error.code] ?? MALFORMED;
    const correlationId = randomUUID();
    const problem = problemOf(code, detail, correlationId);
    log.debug({ correlationId, code, reason: error.code }, 'not a request');
    const body = JSON.stringify(problem);
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      `content-type: ${PROBLEM_TYPE}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `${CORRELATION_HEADER}: ${correlationId}`,
      'connection: close',
      ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}
