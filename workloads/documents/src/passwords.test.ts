import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

const keyOf = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
const K1 = keyOf('k1');
const GIVEN = { templateId: 'letter', pdf: { password: 'hush', pdfUa: true } };

test('a password is sealed, and opened again; nothing else changes', () => {
  const { seal, open } = createPasswords([K1]);
  const sealed = seal(GIVEN);
  expect(JSON.stringify(sealed)).not.toContain('hush');
  expect(sealed).toMatchObject({ templateId: 'letter', pdf: { pdfUa: true } });
  expect(open(sealed)).toEqual(GIVEN);
  expect(createPasswords([keyOf('k2'), K1]).open(sealed)).toEqual(GIVEN);
});

test('without a key it is refused, never stored in the clear; without a password nothing is needed', () => {
  const { seal } = createPasswords([]);
  expect(() => seal(GIVEN)).toThrow(
    'Set PDF_PASSWORD_KEYS, or make the document with POST /generate',
  );
  expect(seal({ pdf: { pdfUa: true } })).toEqual({ pdf: { pdfUa: true } });
  expect(seal({})).toEqual({});
});

test('what is sealed already stays so, and a password that only looks so is sealed', () => {
  const { seal, open } = createPasswords([K1]);
  const sealed = seal(GIVEN);
  expect(seal(sealed)).toEqual(sealed);
  const odd = { pdf: { password: 'sealed:k1.AAAA' } };
  expect(seal(odd)).not.toEqual(odd);
  expect(open(seal(odd))).toEqual(odd);
});

test('without its key it fails with a sentence, and so does what is not sealed', () => {
  const sealed = createPasswords([K1]).seal(GIVEN);
  expect(() => createPasswords([]).open(sealed)).toThrow('its key is not in PDF_PASSWORD_KEYS');
  expect(() => createPasswords([K1]).open(GIVEN)).toThrow('its key is not in PDF_PASSWORD_KEYS');
});
