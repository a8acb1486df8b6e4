import { describe, expect, it } from 'vitest';
import { p } from '../test/builder.ts';

import { merged } from '../test/merge.ts';

import { type MergeOptions } from './index.ts';

const line = (tag: string, data: unknown, options?: MergeOptions) =>
  merged(p(tag), data, options)[0];
const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;
/** Intl puts narrow and hard spaces where a reader sees a space. */
const plain = (text: string | undefined) => text?.replace(/[\u00a0\u202f]/g, ' ');

describe('numbers', () => {
  it.each([
    ['{{number A}}', 'en-US', '1,234,567.891'],
    ['{{number A}}', 'de-DE', '1.234.567,891'],
    ['{{number A}}', 'de_DE', '1.234.567,891'],
    ['{{number A 2}}', 'fr-FR', '1 234 567,89'],
    ['{{number A decimals=0}}', 'en-IN', '12,34,568'],
    ['{{number Text decimals=1}}', 'en-US', '5.0'],
    ['{{number A locale="de-DE" decimals=1}}', 'en-US', '1.234.567,9'],
    ['{{percent Rate}}', 'en-US', '19%'],
    ['{{percent Rate 1}}', 'de-DE', '19,0 %'],
    ['{{currency A "EUR"}}', 'de-DE', '1.234.567,89 €'],
    ['{{currency A "USD"}}', 'en-US', '$1,234,567.89'],
    ['{{currency A "JPY"}}', 'ja-JP', '￥1,234,568'],
    ['{{currency A code=EUR display=code}}', 'en-US', 'EUR 1,234,567.89'],
    ['{{currency A Money}}', 'en-US', 'CHF 1,234,567.89'],
    ['{{currency A}}', 'en-US', '1,234,567.89'],
  ])('%s in %s is %s', (tag, locale, text) => {
    const data = { A: 1234567.891, Rate: 0.19, Text: '5', Money: 'CHF' };
    expect(plain(line(tag, data, { locale }))).toBe(text);
  });

  it('takes the currency of the record', () => {
    expect(
      line('{{#each L}}{{currency A}};{{/each}}', {
        L: [
          { A: 1, CurrencyIsoCode: 'USD' },
          { A: 2, CurrencyIsoCode: 'GBP' },
        ],
      }),
    ).toBe('$1.00;£2.00;');
  });

  it('prefers what the sender formatted, and falls back to the value', () => {
    expect(
      line(
        '{{A__formatted}} {{B__formatted}}',
        { A: 1, A__formatted: 'one €', B: 1234.5 },
        { locale: 'de-DE' },
      ),
    ).toBe('one € 1.234,5');
  });

  it('leaves other text as it is, and refuses it in strict mode', () => {
    expect(line('{{number A}}{{number B}}', { A: 'n/a', B: null })).toBe('n/a');
    expect(() => line('{{number A}}', { A: 'n/a' }, { strict: true })).toThrow(code('bad_value'));
    expect(() => line('{{currency A "EURO"}}', { A: 1 })).toThrow(code('bad_value'));
    expect(() => line('{{number A 200}}', { A: 1 })).toThrow(code('bad_value'));
  });

  it('refuses an unknown locale or time zone', () => {
    expect(() => line('{{A}}', {}, { locale: 'not a locale' })).toThrow(code('bad_locale'));
    expect(() => line('{{A}}', {}, { timeZone: 'Mars/Olympus' })).toThrow(code('bad_locale'));
    expect(() => line('{{number A locale="!"}}', { A: 1 })).toThrow(code('bad_locale'));
  });
});

describe('dates', () => {
  it.each([
    ['{{date D}}', 'en-US', 'UTC', 'Jan 31, 2025'],
    ['{{date D "long"}}', 'de-DE', 'UTC', '31. Januar 2025'],
    ['{{date D "full"}}', 'de-DE', 'Pacific/Auckland', 'Freitag, 31. Januar 2025'],
    ['{{date T "short" time="short"}}', 'de-DE', 'Europe/Berlin', '01.02.25, 00:30'],
    ['{{date T "dd.MM.yyyy HH:mm"}}', 'de-DE', 'Europe/Berlin', '01.02.2025 00:30'],
    ['{{date T "dd.MM.yyyy HH:mm" timeZone="UTC"}}', 'de-DE', 'Europe/Berlin', '31.01.2025 23:30'],
    ['{{date S "yyyy-MM-dd"}}', 'en-US', 'America/New_York', '2025-01-31'],
    ['{{date D "EEEE, d. MMMM \'\'yy"}}', 'de-DE', 'UTC', 'Freitag, 31. Januar 25'],
    ["{{date T \"h:mm a 'o''clock'\"}}", 'en-US', 'UTC', '11:30 PM oclock'],
    ['{{date W "HH:mm"}}', 'en-US', 'Asia/Tokyo', '09:15'],
    ['{{date M "yyyy"}}', 'en-US', 'UTC', '1970'],
    ['{{date D "MMM"}}', 'fr-FR', 'UTC', 'janv.'],
  ])('%s in %s, %s is %s', (tag, locale, timeZone, text) => {
    const data = {
      D: '2025-01-31',
      T: '2025-01-31T23:30:00Z',
      S: '2025-01-31T23:30:00.000+0000',
      W: '2025-01-31T09:15:00',
      M: 0,
    };
    expect(plain(line(tag, data, { locale, timeZone }))).toBe(text);
  });

  it('leaves what is no date as it is, and refuses it in strict mode', () => {
    expect(line('{{date A}}', { A: '2025-02-30' })).toBe('2025-02-30');
    expect(() => line('{{date A}}', { A: 'soon' }, { strict: true })).toThrow(code('bad_value'));
  });
});

describe('lists as one value', () => {
  const L = [
    { N: 'a', V: 0.1 },
    { N: 'b', V: '0.2' },
    { N: '', V: null },
  ];
  it.each([
    ['{{sum L "V"}}', '0.3'],
    ['{{sum Numbers}}', '6'],
    ['{{currency (sum L "V") "EUR"}}', '€0.30'],
    ['{{count L}}', '3'],
    ['{{count Missing}}', '0'],
    ['{{join Numbers "; "}}', '1; 2; 3'],
    ['{{join L "N"}}', 'a, b'],
    ['{{join L "N" " and "}}', 'a and b'],
    ['{{upper (join L "N")}}', 'A, B'],
    ['{{lower Big}}', 'straße'],
  ])('%s is %s', (tag, text) => {
    expect(line(tag, { L, Numbers: [1, 2, 3], Big: 'STRAßE' })).toBe(text);
  });
});
