import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Codes, tokens and ids that nobody guesses: 256 random bits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Takes equally long wherever the two differ, and however long they are. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

/** A UUID that is the same for the same words after every restart, as object ids in a directory are. */
export function stableUuid(...words: readonly string[]): string {
  const bytes = sha256(JSON.stringify(words)).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6); // version 8: a hash of our own
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [0, 8, 12, 16, 20].map((from, at, all) => hex.slice(from, all[at + 1])).join('-');
}

/** Entra's `sub`: one person is another subject for each audience. */
export function pairwiseSubject(objectId: string, audience: string): string {
  return sha256(JSON.stringify([objectId, audience])).toString('base64url');
}

/** The challenge of PKCE's S256. */
export function challengeOf(verifier: string): string {
  return sha256(verifier).toString('base64url');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
