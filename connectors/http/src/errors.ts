/**
 * What became of a request: the other side said no and did nothing, or nobody knows whether it was done, or it never left (or
 * never left whole), so that it cannot have been done. What is unknown is not sent again: docs/decisions/0022.
 */
export type Outcome = 'refused' | 'unknown' | 'notSent';

/** Kinds that every connector has: the line or the answer failed; the request itself is at fault. */
export type WireKind = 'unavailable' | 'data';

export interface Facts<Kind extends string = string> {
  readonly code: string;
  readonly kind: Kind;
  readonly outcome: Outcome;
  readonly status?: number | null;
  /** By the kind, unless given. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | null;
  /** What Node says of the line. */
  readonly cause?: unknown;
}

/** A request that failed. Each connector has its own class of it, with its own kinds. */
export class HttpError<Kind extends string = string> extends Error {
  override readonly name: string = 'HttpError';
  /** The other side's own code, or one of ours (lower case). */
  readonly code: string;
  readonly kind: Kind;
  readonly outcome: Outcome;
  readonly status: number | null;
  /** Could the same request, sent later, come out well? */
  readonly retryable: boolean;
  /** How long the other side asked us to wait. */
  readonly retryAfterMs: number | null;
  readonly #facts: Facts<Kind>;

  constructor(
    message: string,
    facts: Facts<Kind>,
    retryable: ReadonlySet<string> = new Set(['unavailable']),
  ) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.code = facts.code;
    this.kind = facts.kind;
    this.outcome = facts.outcome;
    this.status = facts.status ?? null;
    this.retryable = facts.retryable ?? retryable.has(facts.kind);
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.#facts = facts;
  }

  /** The same error, but for what is given. */
  with({ message = this.message, ...changed }: Partial<Facts<Kind>> & { message?: string }): this {
    const Same = this.constructor as new (message: string, facts: Facts<Kind>) => this;
    return new Same(message, { ...this.#facts, ...changed });
  }
}

export type Ending = 'timeout' | 'canceled';

/** The errors of requests to one other side, in its connector's class. */
export interface Peer<E extends HttpError = HttpError> {
  /** The caller asked for something that cannot be sent. */
  invalid(code: string, message: string): E;
  /** The answer cannot be understood, so nobody knows what was done. */
  invalidAnswer(message: string, status?: number | null): E;
  tooLarge(most: number): E;
  closed(): E;
  /** The request, or the wait before it, ended with its deadline. */
  ended(why: Ending, outcome: Outcome): E;
  /** The answer did not come, or not whole. `started`: some of the request may have been read. */
  broken(error: unknown, params: { readonly started: boolean; readonly ended: Ending | null }): E;
}

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/;

/** `name` as it stands within a sentence: `Salesforce`, `the object storage`. */
export function createPeer<E extends HttpError>(
  name: string,
  Failure: new (message: string, facts: Facts<WireKind>) => E,
): Peer<E> {
  const unavailable = (message: string, facts: Omit<Facts<WireKind>, 'kind'>): E =>
    new Failure(message.charAt(0).toUpperCase() + message.slice(1), {
      kind: 'unavailable',
      ...facts,
    });

  const peer: Peer<E> = {
    invalid: (code, message) => new Failure(message, { code, kind: 'data', outcome: 'notSent' }),
    invalidAnswer: (message, status = null) =>
      unavailable(message, { code: 'invalid_answer', outcome: 'unknown', status }),
    tooLarge: (most) =>
      new Failure(`The answer of ${name} is larger than ${most} bytes.`, {
        code: 'answer_too_large',
        kind: 'data',
        outcome: 'unknown',
      }),
    closed: () =>
      unavailable(`The connection to ${name} is closed.`, { code: 'closed', outcome: 'notSent' }),
    ended: (why, outcome) =>
      why === 'timeout'
        ? unavailable(`${name} took too long to answer.`, { code: 'timeout', outcome })
        : unavailable('The caller called the request off.', {
            code: 'canceled',
            outcome,
            retryable: false,
          }),
    broken(error, { started, ended }) {
      if (error instanceof Failure) return error;
      const outcome = started ? 'unknown' : 'notSent';
      if (ended !== null) return peer.ended(ended, outcome);
      const code = codeOf(error);
      if (TLS.test(code))
        return unavailable(
          `The certificate of ${name} was not accepted (${code}). Check the address, or give Node its issuer by NODE_EXTRA_CA_CERTS.`,
          { code: 'tls_failed', outcome, retryable: false, cause: error },
        );
      const words = started
        ? `The connection to ${name} broke before the answer was whole`
        : `${name} could not be reached`;
      return unavailable(`${words} (${code}).`, {
        code: 'unreachable',
        outcome,
        cause: error,
      });
    },
  };
  return peer;
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'no code';
}

/** A message from outside, without secrets and not too long: who answers may quote what was sent. */
export function scrub(message: string, secrets: readonly string[], longest = 1_000): string {
  let text = message;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[secret]');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
