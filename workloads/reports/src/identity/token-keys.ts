import { type KeyObject, createSecretKey } from 'node:crypto';

/** A key with the id that what it has encrypted names. A KeyObject shows nothing of itself when it is logged. */
export interface TokenKey {
  readonly id: string;
  readonly key: KeyObject;
}

const BYTES = 32;
const HOW = 'Make one with: openssl rand -base64 32';

/**
 * `k2:BASE64,k1:BASE64`, or nothing. A new key is put first; the old one stays until no token needs it any more, which is when the runs
 * of its time have ended. Throws a sentence, in which no value is repeated.
 */
export function parseTokenKeys(text: string): readonly TokenKey[] {
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

function parseKey(entry: string, index: number): TokenKey {
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
