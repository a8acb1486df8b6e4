import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomBytes,
} from 'node:crypto';
import { z } from 'zod';

/** A key with the id that what it has encrypted names. A KeyObject shows nothing of itself when it is logged. */
export interface SecretKey {
  readonly id: string;
  readonly key: KeyObject;
}

const BYTES = 32;
const HOW = 'Make one with: openssl rand -base64 32';

/**
 * `k2:BASE64,k1:BASE64`, or nothing. A new key is put first; the old one stays until nothing needs it any more that it has
 * sealed. Throws a sentence, in which no value is repeated.
 */
export function parseSecretKeys(text: string): readonly SecretKey[] {
  const keys = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseKey);
  for (const [index, { id, key }] of keys.entries()) {
    for (const other of keys.slice(0, index)) {
      if (other.id === id)
        throw new Error(`The id ${id} is there twice: give the new key another.`);
      if (other.key.equals(key))
        throw new Error(`One key is there under two ids, ${other.id} and ${id}. ${HOW}`);
    }
  }
  return keys;
}

function parseKey(entry: string, index: number): SecretKey {
  const [, id, value = ''] = /^([A-Za-z0-9_-]{1,32}):(.*)$/s.exec(entry) ?? [];
  if (id === undefined)
    throw new Error(
      `Entry ${index + 1} is not ID:KEY, where ID has letters, digits, _ and -. ${HOW}`,
    );
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value))
    throw new Error(`The key ${id} is not base64. ${HOW}`);
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== BYTES)
    throw new Error(`The key ${id} has ${bytes.length} bytes and must have ${BYTES}. ${HOW}`);
  const weakness = weaknessOf(bytes);
  if (weakness !== null) throw new Error(`The key ${id} is weak: ${weakness}. ${HOW}`);
  return { id, key: createSecretKey(bytes) };
}

/** What chance does not make in the lifetime of anybody: 32 random bytes have 30 different values, and twelve that print. */
function weaknessOf(bytes: Buffer): string | null {
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'it is text, as a password is';
  if (new Set(bytes).size < 16) return 'its bytes repeat';
  const steps = new Set([...bytes.subarray(1)].map((byte, i) => (byte - (bytes[i] ?? 0)) & 0xff));
  return steps.size < 4 ? 'its bytes count up or down' : null;
}

/** A setting with such keys. */
export const secretKeys = z.string().transform((value, context): readonly SecretKey[] => {
  try {
    return parseSecretKeys(value);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    // The value is a secret, and an issue is shown.
    context.issues.push({ code: 'custom', input: '', message });
    return z.NEVER;
  }
});

/** Keeps texts from whoever reads the database: AES-256-GCM, bound to what they were sealed for. */
export interface SecretBox {
  /** Without a key nothing is sealed. */
  readonly hasKey: boolean;
  seal(text: string, boundTo: string): string;
  /** Null: its key is no longer there, or it was sealed for something else. Nothing says which, or why. */
  open(sealed: string, boundTo: string): string | null;
}

const CIPHER = 'aes-256-gcm';
/** 96 bits at random: NIST allows 2^32 texts under one key, a thousand a second for 49 days. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The first key seals; each opens what has its id. What was sealed for one purpose is opened for no other. */
export function createSecretBox(params: {
  readonly keys: readonly SecretKey[];
  /** The setting that has the keys, for a sentence. */
  readonly setting: string;
  readonly purpose: string;
}): SecretBox {
  const { keys, setting, purpose } = params;
  const [first] = keys;
  /** Part of what is signed: what was copied to another place is not opened there. */
  const signed = (boundTo: string, { id }: SecretKey): Buffer =>
    Buffer.from(JSON.stringify([purpose, boundTo, id]));
  return {
    hasKey: first !== undefined,
    seal(text, boundTo) {
      if (first === undefined) throw new Error(`There is no key in ${setting}.`);
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, first.key, iv).setAAD(signed(boundTo, first));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
      return `${first.id}.${bytes.toString('base64url')}`;
    },
    open(sealed, boundTo) {
      const [id = '', text = ''] = sealed.split('.');
      const key = keys.find((each) => each.id === id);
      const bytes = Buffer.from(text, 'base64url');
      if (key === undefined || bytes.length < IV_BYTES + TAG_BYTES) return null;
      const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
      const cipher = createDecipheriv(CIPHER, key.key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(signed(boundTo, key))
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
