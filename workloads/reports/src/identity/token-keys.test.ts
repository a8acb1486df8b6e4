import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { parseSecretKeys } from '@millrace/workload-kit';
import { describe, expect, test } from 'vitest';
import { settings } from '../settings.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const [K1, K2] = [newKey(), newKey()];
const base64 = (bytes: readonly number[] | string): string => Buffer.from(bytes).toString('base64');

function repeated(): string {
  const part = randomBytes(8);
  return Buffer.concat([part, part, part, part]).toString('base64');
}

describe('keys', () => {
  test.each([
    ['no id', K1, /Entry 1 is not ID:KEY/],
    ['an id with spaces', `k2:${K2},my key:${K1}`, /Entry 2 is not ID:KEY/],
    ['no key', 'k1:', /k1 is not base64/],
    ['what is not base64', 'k1:!!!!', /k1 is not base64/],
    ['31 bytes', `k1:${base64([...randomBytes(31)])}`, /has 31 bytes and must have 32/],
    ['hexadecimal', `k1:${randomBytes(32).toString('hex')}`, /has 48 bytes and must have 32/],
    ['zeros', `k1:${Buffer.alloc(32).toString('base64')}`, /weak: its bytes repeat/],
    ['a pattern', `k1:${Buffer.alloc(32, 'übung').toString('base64')}`, /weak: its bytes repeat/],
    ['eight bytes four times', `k1:${repeated()}`, /weak: its bytes repeat/],
    ['counting', `k1:${base64(Array.from({ length: 32 }, (_, i) => i + 1))}`, /weak: .* count/],
    ['a password', `k1:${base64('correct horse battery staple 99!')}`, /weak: it is text/],
    ['an id twice', `k1:${K1},k1:${K2}`, /k1 is there twice: give the new key another/],
    ['a key twice', `k1:${K1},k2:${K1}`, /under two ids, k1 and k2/],
    ['a bad one behind a good one', `k2:${K2},k1:AAAA`, /k1 has 3 bytes/],
  ])('%s: refused by a sentence that does not repeat it', (_what, text, message) => {
    const refused = (): unknown => parseSecretKeys(text);
    expect(refused).toThrow(message);
    expect(refused).toThrow(/openssl rand -base64 32|another/);
    for (const value of text.split(/[:,]/).filter((part) => part.length > 6))
      expect(refused).not.toThrow(value);
  });

  test('may be none', () => {
    expect([parseSecretKeys(''), parseSecretKeys(' , ')]).toEqual([[], []]);
  });

  test('from chance are never weak', () => {
    for (let i = 0; i < 2_000; i++) parseSecretKeys(`k:${newKey()}`);
  });

  test('show nothing when they are printed, and keep their order', () => {
    const keys = parseSecretKeys(` k2:${K2} , k1:${K1.replaceAll('+', '-').replaceAll('/', '_')} `);
    const shown = inspect(keys, { depth: 10, showHidden: true }) + JSON.stringify(keys);
    for (const key of [K1, K2]) {
      expect(shown).not.toContain(key);
      expect(shown).not.toContain(Buffer.from(key, 'base64').toString('hex').slice(0, 8));
    }
    expect(keys.map(({ id, key }) => [id, key.export().toString('base64')])).toEqual([
      ['k2', K2],
      ['k1', K1],
    ]);
  });

  test('as a setting: the sentence is shown, and the value is not', () => {
    const setting = settings.variables['REPORTS_TOKEN_KEYS'];
    const weak = base64('correct horse battery staple 99!');
    const { error } = setting?.safeParse(`k1:${weak}`) ?? {};
    expect(error?.issues).toMatchObject([{ message: expect.stringMatching(/k1 is weak/) }]);
    expect(JSON.stringify(error)).not.toContain(weak);
    expect(setting?.parse(undefined)).toEqual([]);
    expect(settings.secrets?.({ REPORTS_TOKEN_KEYS: setting?.parse(`k1:${K1}`) })).toContain(K1);
  });
});
