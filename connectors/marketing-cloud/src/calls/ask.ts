import { type Deadline, type Wire, retryAfterMs } from '@millrace/http';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A whole answer: all that Marketing Cloud says is text. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly retryAfterMs: number | null;
}

export type Ask = (request: Request, deadline: Deadline) => Promise<Answer>;

/** A page of 2,500 rows with long texts takes some tens of megabytes. */
const LARGEST_ANSWER = 64 * 1024 * 1024;

export function createAsk(wire: Wire, now: () => number): Ask {
  return async ({ method, url, headers: sent, body }, deadline) => {
    const answer = await wire.send(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers: sent,
        body: body === null ? null : Buffer.from(body),
      },
      deadline,
    );
    const { status, headers } = answer;
    const text = await answer.text(LARGEST_ANSWER);
    return { status, headers, text, retryAfterMs: retryAfterMs(headers['retry-after'], now()) };
  };
}
