import { describe, expect, test } from 'vitest';
import { p } from '../../test/builder.ts';
import { merged } from '../../test/merge.ts';

const holds = (condition: string, data: unknown) =>
  merged(p(`{{#if ${condition}}}yes{{else}}no{{/if}}`), data, { dataLocale: 'de-DE' }).join('');

describe('in rows of a German spreadsheet', () => {
  test.each([
    ['gt X 1000', '1.234,50', 'yes'],
    ['gt X 1000', '', 'no'],
    ['lt X 1000', '', 'no'],
    ['gt X "999,5"', '1.234,50', 'yes'],
    // The template's own numbers have a point, in quotes too.
    ['gt X "999.5"', '1.234,50', 'yes'],
    ['eq X 1234.5', '1.234,50', 'yes'],
    ['eq X 1', 'Won', 'no'],
    ['eq X 3', '3a', 'no'],
    ['eq X "01067"', '01067', 'yes'],
    ['eq X "1067"', '01067', 'no'],
    ['eq X "4.5"', 4.5, 'yes'],
    ['eq X "open"', 5, 'no'],
    ['eq X "open"', 'open', 'yes'],
    ['eq X 0', '', 'no'],
    ['eq X ""', '', 'yes'],
    ['eq X "true"', true, 'yes'],
  ])('numbers and words: %s of %j', (condition, X, answer) => {
    expect(holds(condition, { X })).toBe(answer);
  });

  test.each([
    ['lt X "2026-11-17"', '16.11.2026', 'yes'],
    ['gt X "2026-11-16"', '01.12.2026', 'yes'],
    ['gt X "16.11.2026"', '01.12.2026', 'yes'],
    ['eq X "2026-11-16"', '16.11.2026', 'yes'],
    ['eq X "16.11.2026"', '2026-11-16', 'yes'],
    ['eq X "2026-11-16"', 'offen', 'no'],
    // A day is all of its hours, whichever side has them.
    ['eq X "2026-11-16"', '2026-11-16T14:30:00', 'yes'],
    ['eq X "2026-11-16"', '16.11.2026 14:30', 'yes'],
    ['eq "2026-11-16" X', '2026-11-16T00:30:00+01:00', 'yes'],
    ['lte X "2026-11-16"', '2026-11-16T14:30:00', 'yes'],
    ['gt X "2026-11-16"', '2026-11-16T14:30:00', 'no'],
    ['gt X "2026-11-16T14:00"', '16.11.2026 14:30', 'yes'],
    ['lt X "12:30"', '09:15', 'yes'],
  ])('dates and times: %s of %j', (condition, X, answer) => {
    expect(holds(condition, { X })).toBe(answer);
  });

  test.each([
    ['gt X Y', '1.234,50', '999,5', 'yes'],
    ['gt X Y', '01.12.2026', '2026-11-16', 'yes'],
    ['eq X Y', '1.12.2026', '01.12.2026', 'yes'],
    ['gt X Y', 'Berta', 'Anna', 'yes'],
    ['gt X "Anna"', 'Berta', '', 'yes'],
    ['eq X Y', 'Anna', 'Anna', 'yes'],
    ['eq X Y', '01067', '1067', 'no'],
  ])('two cells: %s of %j and %j', (condition, X, Y, answer) => {
    expect(holds(condition, { X, Y })).toBe(answer);
  });

  test.each([
    ['gt X "2026-12-31"', '01.01.27', '', 'X: "01.01.27" cannot be read as a date'],
    ['gt X "2026-12-31"', 'später', '', 'X: "später" cannot be read as a date'],
    [
      'gt X "2026-12-31"',
      46342,
      '',
      'X: "46342" cannot be read as a date; de-DE writes 30.11.2026.',
    ],
    ['eq X "2027-01-01"', '01.01.27', '', 'X: "01.01.27" cannot be read as a date'],
    ['ne X "2027-01-01"', '1. Jan 2027', '', 'X: "1. Jan 2027" cannot be read as a date'],
    ['eq X "2027-01-01"', 46388, '', 'X: "46388" cannot be read as a date'],
    ['gt X 1000', 'viel', '', 'X: "viel" cannot be read as a number; de-DE writes 1.234,5.'],
    ['eq X 1000', '1000.00', '', 'X: "1000.00" cannot be read as a number'],
    ['eq X 1000', '1.000 EUR', '', 'X: "1.000 EUR" cannot be read as a number'],
    ['gt X 1000', true, '', 'X: "true" cannot be read as a number'],
    ['gt X Y', '500', '100 €', 'Y: "100 €" cannot be read as a number'],
    ['gt X Y', '500', '1.000 €', 'Y: "1.000 €" cannot be read as a number'],
    ['gt X Y', '500', '1000.00', 'Y: "1000.00" cannot be read as a number'],
    ['gt X Y', '500 €', '1.000 €', 'X: "500 €" cannot be read as a number'],
    ['lt X Y', 5, 'viel', 'Y: "viel" cannot be read as a number'],
    ['gt X Y', '01.01.2027', '31.12.26', 'Y: "31.12.26" cannot be read as a date'],
    ['gt X "1.000 €"', '500', '', '"1.000 €" cannot be read as a number'],
  ])('an error, never a comparison as text: %s of %j and %j', (condition, X, Y, sentence) => {
    expect(() => holds(condition, { X, Y })).toThrow(sentence);
  });
});
