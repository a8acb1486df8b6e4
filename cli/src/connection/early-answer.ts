import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { atMost } from './limits.ts';

/** A server that refuses a request for its length does so when it has read the headers. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * The answer of a server that refused a body before it had read it to its end, and closed. fetch is still sending then, and reports that
 * as a broken pipe; the answer is lost. So the headers are sent again without the body: whoever refuses it for its length answers to
 * them, and nothing is done twice, since nothing is done before the body is there. Null: there is no such answer.
 */
export async function earlyAnswer(
  thrown: unknown,
  address: string,
  init: RequestInit | undefined,
  interrupted: AbortSignal,
): Promise<Response | null> {
  const length = lengthOf(init?.body);
  if (length === null || !isCutWhileSending(thrown)) return null;
  const headers = { ...Object.fromEntries(new Headers(init?.headers)), connection: 'close' };
  const request = address.startsWith('https:') ? overHttps : overHttp;
  return new Promise((resolve) => {
    const asked = request(address, {
      method: init?.method ?? 'POST',
      headers: { ...headers, 'content-length': length },
      signal: atMost(ANSWER_WITHIN_MS, interrupted),
    });
    asked.on('error', () => resolve(null));
    asked.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', () => resolve(null));
      answer.on('end', () => {
        asked.destroy();
        const { statusCode = 0, headers: told } = answer;
        const type = told['content-type'] ?? '';
        // What is not a refusal cannot be meant for a body that has not come.
        if (statusCode < 400) return resolve(null);
        resolve(
          new Response(Buffer.concat(chunks), {
            status: statusCode,
            headers: { 'content-type': type },
          }),
        );
      });
    });
    asked.flushHeaders();
  });
}

/** Null: not known before it is sent. */
function lengthOf(body: RequestInit['body']): number | null {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.byteLength : null;
}

const CUT = ['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET'];

function isCutWhileSending(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : null;
  return cause instanceof Error && 'code' in cause && CUT.includes(String(cause.code));
}
