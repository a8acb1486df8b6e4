import { describe, expect, test } from 'vitest';
import { p } from '../../test/builder.ts';
import { merged } from '../../test/merge.ts';
import { readAmount, readMoment, readNumber, readPercent } from './read-text.ts';

describe('numbers as a locale writes them', () => {
  test.each([
    ['de-DE', '1.234,50', 1234.5],
    ['de-DE', '1.234', 1234],
    ['de-DE', '1234,5', 1234.5],
    ['de-DE', '-1.234.567,89', -1234567.89],
    ['de-DE', '−5', -5],
    ['en-US', '1,234.50', 1234.5],
    ['en-US', '1.234', 1.234],
    ['en-US', '+7', 7],
    ['fr-FR', '1 234,5', 1234.5],
    ['fr-FR', '1\u202f234,5', 1234.5],
    ['de-CH', "1'234.50", 1234.5],
    ['es-ES', '1.234,5', 1234.5],
    ['en-IN', '12,34,567.5', 1234567.5],
    ['ar-EG', '١٬٢٣٤٫٥', 1234.5],
    ['en-US', '007', 7],
    // The signs of amounts, where they are others than those of numbers.
    ['de-AT', '1.234,50', 1234.5],
    ['de-AT', '1 234,50', 1234.5],
    ['de-AT', '1.234', 1234],
    ['fr-CH', '1 234.50', 1234.5],
    ['fr-CH', '1\u202f234,50', 1234.5],
    ['fr-CH', "1'234.50", 1234.5],
    ['en-BE', '1.234', 1234],
    // What nothing else can be meant by.
    ['pt-PT', '1.234,50', 1234.5],
    ['pt-PT', '1.234.567', 1234567],
    ['fr-FR', "1'234,50", 1234.5],
    ['de-CH', '1,234.50', 1234.5],
    ['en-IN', '1,234,567.50', 1234567.5],
  ])('%s: %s', (locale, text, value) => {
    expect(readNumber(text, locale)).toBe(value);
  });

  test.each([
    ['de-DE', '1234.50'],
    ['de-DE', '1.23'],
    ['de-DE', '1.2345'],
    ['de-DE', '1,234.50'],
    ['en-US', '1.234,50'],
    ['en-US', '1,5'],
    ['en-US', '1,23,456'],
    ['en-US', "1,234'567"],
    ['pt-PT', '1.234'],
    ['pt-PT', '1,234.50'],
    ['fr-FR', '1234.50'],
    ['en-BE', '1,234.50'],
    ['en-IN', '1,234,56,789'],
    ['de-AT', '1.234 567'],
    ['en-US', '1e5'],
    ['en-US', '12 Main Street'],
    ['en-US', '5-'],
    ['en-US', '€5'],
    ['en-US', '12345678901234567'],
    ['en-US', '.'],
    ['en-US', ''],
  ])('%s does not read %j', (locale, text) => {
    expect(readNumber(text, locale)).toBeUndefined();
  });

  test.each(['de-AT', 'fr-CH', 'pt-PT', 'en-IN', 'es-ES', 'de-CH', 'sv-SE', 'pl-PL', 'ar-EG'])(
    '%s reads the amounts that it writes',
    (locale) => {
      for (const currency of ['EUR', 'CHF', 'USD']) {
        const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
        for (const amount of [0.5, 1234.5, 1234567.5])
          expect(readAmount(format.format(amount), locale, currency)).toBe(amount);
      }
    },
  );

  test('a share, and an amount in the currency that it is shown in', () => {
    expect(readPercent('12,3 %', 'de-DE')).toBe(0.123);
    expect(readPercent('0,125', 'de-DE')).toBe(0.125);
    expect(readNumber('12,3 %', 'de-DE')).toBeUndefined();
    expect(readAmount('1.234,50 €', 'de-DE', 'EUR')).toBe(1234.5);
    expect(readAmount('1.234,50 EUR', 'de-DE', 'EUR')).toBe(1234.5);
    expect(readAmount('-$1,234.50', 'en-US', 'USD')).toBe(-1234.5);
    expect(readAmount('€ 1.234,50', 'de-AT', 'EUR')).toBe(1234.5);
    expect(readAmount('1 234.50 CHF', 'fr-CH', 'CHF')).toBe(1234.5);
    expect(readAmount('$5', 'en-US', 'EUR')).toBeUndefined();
    expect(readAmount('$5', 'en-US', '')).toBeUndefined();
  });
});

describe('dates as a locale writes them', () => {
  test.each([
    ['de-DE', '16.11.2026', '2026-11-16T00:00'],
    ['de-DE', '1.2.2026', '2026-02-01T00:00'],
    ['en-US', '11/16/2026', '2026-11-16T00:00'],
    ['en-GB', '05/11/2026', '2026-11-05T00:00'],
    ['en-US', '11/16/2026 2:30 PM', '2026-11-16T14:30'],
    ['de-DE', '16.11.2026 14:30', '2026-11-16T14:30'],
    ['sv-SE', '2026-11-16', '2026-11-16T00:00'],
    ['ja-JP', '2026/11/16', '2026-11-16T00:00'],
    ['ko-KR', '2026. 11. 16.', '2026-11-16T00:00'],
    ['hu-HU', '2026. 11. 16', '2026-11-16T00:00'],
    ['de-DE', '2026-11-16', '2026-11-16T00:00'],
    ['th-TH', '2026-11-16', '2026-11-16T00:00'],
  ])('%s: %s', (locale, text, iso) => {
    const moment = readMoment(text, locale);
    expect(moment && new Date(moment.time).toISOString()).toBe(`${iso}:00.000Z`);
    expect(moment?.zoned).toBe(false);
  });

  test.each([
    // Dots are not how Americans write: the fifth of November, or May the eleventh?
    ['en-US', '05.11.2026'],
    ['en-US', '16/11/2026'],
    ['de-DE', '11/16/2026'],
    ['de-DE', '16.11.26'],
    ['de-DE', '16.11.0026'],
    ['de-DE', '31.02.2026'],
    ['en-US', '11/16/2026 14:30 PM'],
    ['en-US', '46342'],
    ['th-TH', '16/11/2569'],
    ['de-DE', 'bald'],
  ])('%s does not read %j', (locale, text) => {
    expect(readMoment(text, locale)).toBeUndefined();
  });
});

describe('a merge with the text of a spreadsheet', () => {
  const line = (tag: string, X: unknown, dataLocale = 'de-DE') =>
    merged(p(tag), { X }, { locale: 'en-US', dataLocale }).join('');

  test('reads what a tag shows, and leaves alone what it only prints', () => {
    expect(line('{{number X decimals=2}}', '1.234,5')).toBe('1,234.50');
    expect(line('{{currency X "EUR"}}', '1.234,50 €')).toBe('€1,234.50');
    expect(line('{{date X "yyyy-MM-dd"}}', '16.11.2026')).toBe('2026-11-16');
    expect(line('{{percent X decimals=1}}', '12,5 %')).toBe('12.5%');
    expect(line('{{X}}', '1.234,50')).toBe('1.234,50');
    expect(line('{{number X}}{{date X}}', '')).toBe('');
    // What comes typed, as from an XLSX, needs no reading.
    expect(line('{{number X}}', 1234.5)).toBe('1,234.5');
  });

  test.each([
    ['{{number X}}', '1234.50', 'X: "1234.50" cannot be read as a number; de-DE writes 1.234,5.'],
    ['{{date X}}', 'soon', 'X: "soon" cannot be read as a date; de-DE writes 30.11.2026.'],
    ['{{currency X "EUR"}}', '$5', 'cannot be read as a number'],
    ['{{date X}}', '11/16/2026', 'de-DE writes 30.11.2026'],
    ['{{date X}}', 46342, 'cannot be read as a date'],
    ['{{#if gt X 1000}}a{{/if}}', 'viel', 'cannot be read as a number'],
  ])('%s of %j is an error', (tag, X, sentence) => {
    expect(() => line(tag, X)).toThrow(sentence);
  });

  test('a date that ends with a full stop ends the sentence', () => {
    expect(() => line('{{date X}}', 'soon', 'ko-KR')).toThrow(/writes 2026\. 11\. 30\.$/);
  });

  test.each([
    ['en-US', '44.800', 'X: "44.800" is 44.8 in en-US, with three decimals where EUR has 2.'],
    ['en-US', '€44.800', 'If it means 44,800, name the locale'],
    ['de-DE', '44,800', 'If it means 44.800, name the locale that the file is written in'],
    ['fr-FR', '44,800 €', '--data-locale'],
  ])('%s: the amount %s may be a thousandfold, and is an error', (locale, text, sentence) => {
    expect(() => line('{{currency X "EUR"}}', text, locale)).toThrow(sentence);
  });

  test.each([
    ['{{currency X "EUR" decimals=3}}', '44.800', '€44.800'],
    ['{{currency X "KWD" display=code}}', '44.800', 'KWD 44.800'],
    ['{{currency X "EUR"}}', '0.125', '€0.13'],
    ['{{currency X "EUR"}}', '1,044.800', '€1,044.80'],
    ['{{currency X "EUR"}}', '44.8', '€44.80'],
    ['{{currency X "EUR"}}', 44.8, '€44.80'],
    ['{{number X}}', '44.800', '44.8'],
  ])('%s of %j has its decimals', (tag, X, text) => {
    expect(line(tag, X, 'en-US').replace('\u00a0', ' ')).toBe(text);
  });

  test.each(['0', '0,00', '-0,0', '0 %', '0,00 €', 'EUR 0,00'])('%s is false', (X) => {
    expect(line('{{#if X}}yes{{else}}no{{/if}}', X)).toBe('no');
    expect(line('{{#if not X}}no{{/if}}{{#if and X X}}yes{{/if}}{{#if or X X}}yes{{/if}}', X)).toBe(
      'no',
    );
    // What comes as text otherwise is text.
    expect(merged(p('{{#if X}}yes{{else}}no{{/if}}'), { X })).toEqual(['yes']);
  });

  test.each(['0,01', '10', 'no', '0.00', 'Zone 0', '0/0'])('%s is true', (X) => {
    expect(line('{{#if X}}yes{{else}}no{{/if}}', X)).toBe('yes');
  });
});
