import { createSecretKey, randomBytes } from 'node:crypto';
import type { SecretKey } from '@millrace/workload-kit';
import { expect, test } from 'vitest';
import { createTokenBox, endOfToken } from './tokens.ts';

const keyOf = (id: string): SecretKey => ({ id, key: createSecretKey(randomBytes(32)) });
const old = keyOf('k1');
const newer = keyOf('k2');

test('what was sealed is opened for the same job alone', () => {
  const box = createTokenBox([old]);
  const sealed = box.seal('a token', 'pg-1');
  expect(sealed).not.toContain('a token');
  expect(box.open(sealed, 'pg-1')).toBe('a token');
  expect(box.open(sealed, 'pg-2')).toBeNull();
});

test('twice the same is sealed differently', () => {
  const box = createTokenBox([old]);
  expect(box.seal('a', 'x')).not.toBe(box.seal('a', 'x'));
});

test('keys are changed: the first one seals, the others still open', () => {
  const sealed = createTokenBox([old]).seal('a token', 'x');
  const both = createTokenBox([newer, old]);
  expect(both.open(sealed, 'x')).toBe('a token');
  expect(both.seal('b', 'x')).toMatch(/^k2\./);
  expect(createTokenBox([newer]).open(sealed, 'x')).toBeNull();
  expect(createTokenBox([keyOf('k1')]).open(sealed, 'x')).toBeNull();
  // The id is part of what is signed.
  const renamed = { id: 'k3', key: old.key };
  expect(createTokenBox([renamed]).open(sealed.replace('k1.', 'k3.'), 'x')).toBeNull();
});

test.each(['', 'k1', 'k1.', 'k1.AAAA', 'k9.AAAA'])('%j is no sealed token', (sealed) => {
  expect(createTokenBox([old]).open(sealed, 'x')).toBeNull();
});

test('a changed byte is noticed', () => {
  const box = createTokenBox([old]);
  const [id, text = ''] = box.seal('a token', 'x').split('.');
  const bytes = Buffer.from(text, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(box.open(`${id}.${changed.toString('base64url')}`, 'x')).toBeNull();
  }
});

test('without a key nothing is sealed', () => {
  const box = createTokenBox([]);
  expect(box.hasKey).toBe(false);
  expect(() => box.seal('a', 'x')).toThrow('REPORTS_TOKEN_KEYS');
});

test('the end of a token is what it says itself', () => {
  const jwt = (payload: string): string =>
    `e30.${Buffer.from(payload).toString('base64url')}.signature`;
  expect(endOfToken(jwt('{"exp":1767225600}'))).toBe(1_767_225_600_000);
  for (const other of ['opaque', '', 'a.b.c', jwt('{}'), jwt('null'), jwt('{"exp":"soon"}')])
    expect(endOfToken(other)).toBeNull();
});
