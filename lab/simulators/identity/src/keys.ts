import { invalidOption } from '@millrace/simulator-kit';
import {
  type CryptoKey,
  type JWK_RSA_Private,
  type JWK_RSA_Public,
  CompactSign,
  calculateJwkThumbprint,
  compactVerify,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose';

/** A signing key as JSON. It is a secret. */
export interface PrivateJwk extends JWK_RSA_Private {
  readonly kty: 'RSA';
  readonly kid: string;
}

interface SigningKey {
  readonly kid: string;
  readonly jwk: PrivateJwk;
  readonly key: CryptoKey;
}

export interface KeyRing {
  /** A new signing key. The old ones stay published. */
  rotate(): Promise<void>;
  /** Only the signing key stays published. */
  retire(): void;
  /** The signing key first. */
  export(): PrivateJwk[];
  /** The public keys. Entra gives no `alg` here, so neither do we: verifiers have to insist on RS256. */
  published(): { keys: JWK_RSA_Public[] };
  /** Signs with the key that `kid` names. A kid of no key is put in the header all the same: a lie for tests. */
  sign(claims: Record<string, unknown>, kid?: string): Promise<string>;
  /** The claims of a token of ours, expired or not. Null: not ours. */
  read(token: string): Promise<Record<string, unknown> | null>;
}

export async function createKeyRing(given: readonly PrivateJwk[] = []): Promise<KeyRing> {
  let signing = given[0] === undefined ? await makeKey() : await importKey(given[0]);
  let others = await Promise.all(given.slice(1).map(importKey));
  const all = () => [signing, ...others];
  const named = (kid: string | undefined) => all().find((key) => key.kid === kid);

  return {
    async rotate() {
      const fresh = await makeKey();
      others = all();
      signing = fresh;
    },
    retire() {
      others = [];
    },
    export: () => all().map(({ jwk }) => ({ ...jwk })),
    published: () => ({ keys: all().map(({ jwk }) => publicPart(jwk)) }),
    async sign(claims, kid = signing.kid) {
      const { key } = named(kid) ?? signing;
      return (
        new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
          // Tokens of version 1 say it twice ("Header claims" of "Access token claims reference").
          .setProtectedHeader({
            typ: 'JWT',
            alg: 'RS256',
            kid,
            ...(claims['ver'] === '1.0' && { x5t: kid }),
          })
          .sign(key)
      );
    },
    async read(token) {
      try {
        const { payload } = await compactVerify(
          token,
          ({ kid }) => {
            const found = named(kid);
            if (found === undefined) throw new Error('unknown key');
            return publicPart(found.jwk);
          },
          { algorithms: ['RS256'] },
        );
        return JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>;
      } catch {
        return null;
      }
    },
  };
}

async function makeKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = (await exportJWK(privateKey)) as JWK_RSA_Private;
  const kid = await calculateJwkThumbprint({ ...jwk, kty: 'RSA' });
  return { kid, jwk: { ...jwk, kty: 'RSA', kid, use: 'sig' }, key: privateKey };
}

async function importKey(jwk: PrivateJwk): Promise<SigningKey> {
  const bits = Buffer.from(jwk.n ?? '', 'base64url').length * 8;
  if (jwk.kty !== 'RSA' || typeof jwk.d !== 'string' || bits < 2048 || !jwk.kid) {
    throw invalidOption('keys: give private RSA keys of 2048 bits or more, each with a kid.');
  }
  try {
    const key = await importJWK(jwk, 'RS256');
    // Halves that do not belong together can be imported; only use shows it.
    const probe = await new CompactSign(Buffer.from('probe'))
      .setProtectedHeader({ alg: 'RS256' })
      .sign(key);
    await compactVerify(probe, publicPart(jwk));
    return { kid: jwk.kid, jwk: { ...jwk }, key };
  } catch {
    throw invalidOption('keys: one cannot be used. Give what exportKeys gave.');
  }
}

function publicPart({ kid, n, e }: PrivateJwk): JWK_RSA_Public {
  return { kty: 'RSA', use: 'sig', kid, n, e };
}
