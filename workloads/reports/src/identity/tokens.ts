import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A key with the id that what it has encrypted names: keys are changed without losing what is under way. */
export interface TokenKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** Keeps tokens of callers from whoever reads the database: AES-256-GCM, bound to the run that they were given for. */
export interface TokenBox {
  /** Without a key nothing is sealed, and no report may keep a token. */
  readonly hasKey: boolean;
  seal(token: string, whose: string): string;
  /** Null: its key is no longer there, or it was sealed for something else. */
  open(sealed: string, whose: string): string | null;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The first key seals. */
export function createTokenBox(keys: readonly TokenKey[]): TokenBox {
  const [first] = keys;
  return {
    hasKey: first !== undefined,
    seal(token, whose) {
      if (first === undefined) throw new Error('There is no key in REPORTS_TOKEN_KEYS.');
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, first.key, iv).setAAD(Buffer.from(whose));
      const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
      const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
      return `${first.id}.${bytes.toString('base64url')}`;
    },
    open(sealed, whose) {
      const [id = '', text = ''] = sealed.split('.');
      const key = keys.find((each) => each.id === id);
      const bytes = Buffer.from(text, 'base64url');
      if (key === undefined || bytes.length < IV_BYTES + TAG_BYTES) return null;
      const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
      const cipher = createDecipheriv(CIPHER, key.key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(whose))
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

/** What a token is bound to: the report and its version, and who submitted it. */
export function whoseToken(run: {
  readonly report: string;
  readonly digest: string;
  readonly tenant: string;
  readonly submitter: string | null;
}): string {
  return JSON.stringify([run.report, run.digest, run.tenant, run.submitter]);
}
