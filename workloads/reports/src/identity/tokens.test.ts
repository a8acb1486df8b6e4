import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTokenBox } from './tokens.ts';

const old = { id: 'k1', key: randomBytes(32) };
const newer = { id: 'k2', key: randomBytes(32) };

test('what was sealed is opened for the same run alone', () => {
  const box = createTokenBox([old]);
  const sealed = box.seal('a token', 'run of ada');
  expect(sealed).not.toContain('a token');
  expect(box.open(sealed, 'run of ada')).toBe('a token');
  expect(box.open(sealed, 'run of bob')).toBeNull();
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
  const impostor = { id: 'k1', key: randomBytes(32) };
  expect(createTokenBox([impostor]).open(sealed, 'x')).toBeNull();
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
