import { HttpError, createPeer, sendOnce } from '@millrace/http';
import { type JWTVerifyGetKey, createLocalJWKSet, errors } from 'jose';
import { z } from 'zod';
import { Refusal } from '../http/refusal.ts';

/** How long a fetched set of keys is good without asking again. */
const FRESH_MS = 5 * 60_000;
/** While the issuer is away, its last keys go on being good for so long. */
const KEPT_MS = 24 * 3_600_000;
const WINDOW_MS = 60_000;
const FETCHES_PER_WINDOW = 10;
/** After a failed fetch, callers with keys to go on with do not wait for another one for this long. */
const PAUSE_MS = 30_000;
const LIMIT_MS = 5_000;
const LARGEST = 256 * 1024;

/**
 * The issuer's public keys: fetched when needed, never more often than the limit. jose's own remote set refuses every token
 * while the issuer is away (docs/decisions/0006-identity.md).
 */
export interface Keys {
  /** The key that a token names. */
  readonly find: JWTVerifyGetKey;
  /** Fetches if it is time to. */
  check(): Promise<KeysStatus>;
  /** The cached keys. */
  status(): KeysStatus;
}

export interface KeysStatus {
  readonly count: number;
  /** Null: the last fetch went well. */
  readonly failure: string | null;
}

interface KeySet {
  readonly kids: ReadonlySet<string>;
  readonly resolve: ReturnType<typeof createLocalJWKSet>;
  readonly at: number;
}

const answer = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

const peer = createPeer('the issuer', HttpError);

export function createKeys(params: {
  readonly uri: string;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  /** Around each fetch, for those who measure: fails as the fetch does. */
  readonly measured?: <T>(run: () => Promise<T>) => Promise<T>;
  readonly onFailure: (error: unknown) => void;
}): Keys {
  const { uri, now, onFailure, measured = (run) => run() } = params;
  let keys: KeySet | null = null;
  let pending: Promise<void> | null = null;
  let failure: { readonly why: string; readonly at: number } | null = null;
  let fetchedAt: number[] = [];

  const find: JWTVerifyGetKey = async (header, token) => {
    const kid = header.kid ?? '';
    const before = keys;
    await renewIfDue();
    // The key may be newer than the set, which is then fetched again; but not if it has just been: that would only
    // use up the limit.
    if (usable()?.kids.has(kid) === false && keys === before) await renew();
    const known = usable();
    if (known === null) {
      throw new Refusal(
        'identity_unavailable',
        'The issuer’s keys could not be fetched, so tokens cannot be checked. Try again in a moment.',
      );
    }
    if (!known.kids.has(kid)) throw new errors.JWKSNoMatchingKey();
    return known.resolve(header, token);
  };

  function usable(): KeySet | null {
    return keys !== null && now() - keys.at < KEPT_MS ? keys : null;
  }

  async function renewIfDue(): Promise<void> {
    const known = usable();
    if (known !== null && now() - known.at < FRESH_MS) return;
    const renewal = renew();
    const failedLately = failure !== null && now() - failure.at < PAUSE_MS;
    if (known === null || !failedLately) await renewal;
  }

  /** Everyone who needs keys at the same time waits for one fetch. Beyond the limit there is none. */
  function renew(): Promise<void> {
    if (pending !== null) return pending;
    fetchedAt = fetchedAt.filter((at) => now() - at < WINDOW_MS);
    if (fetchedAt.length >= FETCHES_PER_WINDOW) return Promise.resolve();
    fetchedAt.push(now());
    pending = fetchKeys().finally(() => (pending = null));
    return pending;
  }

  async function fetchKeys(): Promise<void> {
    try {
      keys = keySetOf(await measured(read), now());
      failure = null;
    } catch (error) {
      failure = { why: error instanceof Error ? error.message : String(error), at: now() };
      onFailure(error);
    }
  }

  function read(): Promise<string> {
    const headers = { accept: 'application/json' };
    const asked = { peer, method: 'GET', headers, ms: LIMIT_MS } as const;
    return sendOnce(new URL(uri), asked, async (response) => {
      if (response.status === 200) return response.text(LARGEST);
      throw new Error(`${uri} answered ${response.status}`);
    });
  }

  const status = (): KeysStatus => ({
    count: usable()?.kids.size ?? 0,
    failure: failure?.why ?? null,
  });

  return {
    find,
    async check() {
      await renewIfDue();
      return status();
    },
    status,
  };
}

/** Only what can have signed RS256: other keys in the set are for other things. */
function keySetOf(text: string, at: number): KeySet {
  const { keys } = answer.parse(JSON.parse(text));
  const ours = keys.filter(
    ({ kty, use = 'sig', alg = 'RS256', kid }) =>
      kty === 'RSA' && use === 'sig' && alg === 'RS256' && typeof kid === 'string',
  );
  if (ours.length === 0) throw new Error('the set has no RS256 key');
  return {
    kids: new Set(ours.map(({ kid }) => String(kid))),
    resolve: createLocalJWKSet({ keys: ours }),
    at,
  };
}
