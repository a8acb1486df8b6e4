import { describe, expect, test } from 'vitest';
import { p } from '../test/builder.ts';
import { merged } from '../test/merge.ts';
import { readAmount, readMoment, readNumber, readPercent } from './helpers/read-text.ts';

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

  test('a share, and an amount in the currency that it is shown in', () => {
    expect(readPercent('12,3 %', 'de-DE')).toBe(0.123);
    expect(readPercent('0,125', 'de-DE')).toBe(0.125);
    expect(readNumber('12,3 %', 'de-DE')).toBeUndefined();
    expect(readAmount('1.234,50 €', 'de-DE', 'EUR')).toBe(1234.5);
    expect(readAmount('1.234,50 EUR', 'de-DE', 'EUR')).toBe(1234.5);
    expect(readAmount('-$1,234.50', 'en-US', 'USD')).toBe(-1234.5);
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
    ['{{number X}}', '1234.50', 'de-DE writes 1.234,5'],
    ['{{currency X "EUR"}}', '$5', 'cannot be read as a number'],
    ['{{date X}}', '11/16/2026', 'de-DE writes 30.11.2026'],
    ['{{date X}}', 46342, 'cannot be read as a date'],
    ['{{#if gt X 1000}}a{{/if}}', 'viel', 'cannot be read as a number'],
  ])('%s of %j is an error', (tag, X, sentence) => {
    expect(() => line(tag, X)).toThrow(sentence);
  });

  test.each([
    ['{{#if gt X 1000}}more{{else}}less{{/if}}', '1.234,50', 'more'],
    ['{{#if gt X 1000}}more{{else}}less{{/if}}', '', 'less'],
    ['{{#if eq X 1234.5}}same{{/if}}', '1.234,50', 'same'],
    ['{{#if eq X 1}}same{{else}}other{{/if}}', 'Won', 'other'],
    ['{{#if lt X "2026-11-17"}}before{{/if}}', '16.11.2026', 'before'],
    ['{{#if gt X "2026-11-16"}}after{{/if}}', '01.12.2026', 'after'],
    ['{{#if gt X "16.11.2026"}}after{{/if}}', '01.12.2026', 'after'],
    ['{{#if gt X "999,5"}}more{{/if}}', '1.234,50', 'more'],
    ['{{#if gt X "Anna"}}later{{/if}}', 'Berta', 'later'],
  ])('%s of %j', (tag, X, text) => {
    expect(line(tag, X)).toBe(text);
  });
});
