import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { TokenKey } from './token-keys.ts';

/** Keeps tokens of callers from whoever reads the database: AES-256-GCM, bound to the job that they were given for. */
export interface TokenBox {
  /** Without a key nothing is sealed, and no report may keep a token. */
  readonly hasKey: boolean;
  seal(token: string, job: string): string;
  /** Null: its key is no longer there, or it was sealed for another job. Nothing says which, or why. */
  open(sealed: string, job: string): string | null;
}

const CIPHER = 'aes-256-gcm';
/** 96 bits at random: NIST allows 2^32 tokens under one key, a thousand a second for 49 days. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The first key seals; each opens what has its id. */
export function createTokenBox(keys: readonly TokenKey[]): TokenBox {
  const [first] = keys;
  return {
    hasKey: first !== undefined,
    seal(token, job) {
      if (first === undefined) throw new Error('There is no key in REPORTS_TOKEN_KEYS.');
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, first.key, iv).setAAD(boundTo(job, first));
      const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
      const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
      return `${first.id}.${bytes.toString('base64url')}`;
    },
    open(sealed, job) {
      const [id = '', text = ''] = sealed.split('.');
      const key = keys.find((each) => each.id === id);
      const bytes = Buffer.from(text, 'base64url');
      if (key === undefined || bytes.length < IV_BYTES + TAG_BYTES) return null;
      const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
      const cipher = createDecipheriv(CIPHER, key.key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(boundTo(job, key))
        .setAuthTag(tag);
      try {
        const opened = cipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
        return Buffer.concat([opened, cipher.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}

/** The job is part of what is signed: a token that was copied to another run is not opened there. */
function boundTo(job: string, { id }: TokenKey): Buffer {
  return Buffer.from(JSON.stringify(['millrace report token', job, id]));
}

/** When a token ends by its own word, in milliseconds since 1970; null: it is no JWT, or does not say. It was verified before. */
export function endOfToken(token: string): number | null {
  const [, payload = ''] = token.split('.');
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1_000 : null;
  } catch {
    return null;
  }
}
