import { describe, expect, test } from 'vitest';
import { findText, fixedWords } from '../pdf/find.ts';
import type { Lint } from '../types.ts';
import { changedRegions } from './regions.ts';
import { missingIn, namesBeside, sampleFor } from './sample.ts';

function field(path: string, more: Partial<Lint['fields'][number]> = {}): Lint['fields'][number] {
  return { path, kind: 'value', required: true, conditional: false, ...more };
}

test('a sample has what the fields ask for, in a form that their helpers read', () => {
  const sample = sampleFor(
    [
      field('Buyer', { kind: 'condition', required: false }),
      field('Buyer.FirstName'),
      field('Due', { snippet: 'Due {{date Due "long"}}' }),
      field('Sum', { snippet: '{{currency Sum "EUR"}}' }),
      field('Place', { kind: 'condition', snippet: '{{#if (eq Place "home")}}' }),
      field('Sign', { kind: 'condition' }),
      field('Sign', { kind: 'image' }),
      field('Lines', { kind: 'list' }),
      field('Lines[].Title'),
      field('Tags[]'),
    ],
    '2026-01-31',
  );
  expect(sample).toEqual({
    Buyer: { FirstName: 'First Name' },
    Due: '2026-01-31',
    Sum: 12,
    Place: 'home',
    Lines: [{ Title: 'Title' }],
    Tags: ['Tags'],
  });
});

test('what the data lacks is named, with the names beside it', () => {
  const fields = [field('Buyer.VatNo'), field('Lines[].Price'), field('Note', { required: false })];
  const data = { Buyer: { VatId: 'x' }, Lines: [{ Price: 1 }, {}] };
  expect(missingIn(fields, data).map(({ path }) => path)).toEqual(['Buyer.VatNo', 'Lines[].Price']);
  expect(namesBeside(data, 'Buyer.VatNo')).toEqual(['VatId']);
});

describe('a text is found on a page', () => {
  const line = { top: 0.1, height: 0.02 };
  const letters = [
    { text: 'Your VAT', left: 0.1, width: 0.2, ...line },
    { text: ' ID', left: 0.3, width: 0.05, ...line },
    { text: 'Below', left: 0.1, width: 0.1, top: 0.2, height: 0.02 },
  ];

  test('over pieces, whatever its spaces', () => {
    const box = findText(letters, 'VAT  id');
    expect(box?.left).toBeCloseTo(0.1 + 0.2 * (4 / 7));
    expect((box?.left ?? 0) + (box?.width ?? 0)).toBeCloseTo(0.35);
  });

  test('and not where it is not', () => {
    expect(findText(letters, 'Total')).toBeNull();
  });

  test('by the fixed words beside a field', () => {
    expect(fixedWords('Your VAT ID {{Buyer.VatId}}, please {{x')).toEqual([
      'Your VAT ID',
      ', please',
    ]);
  });
});

describe('two pictures of a page', () => {
  const blank = () => ({
    width: 80,
    height: 80,
    data: new Uint8ClampedArray(80 * 80 * 4).fill(255),
  });

  test('are the same', () => {
    expect(changedRegions(blank(), blank())).toEqual([]);
  });

  test('differ where a pixel does; what is near is one region', () => {
    const other = blank();
    for (const [x, y] of [
      [0, 0],
      [12, 2],
      [70, 70],
    ] as const)
      other.data.fill(0, 4 * (y * 80 + x), 4 * (y * 80 + x) + 3);
    expect(changedRegions(blank(), other)).toEqual([
      { left: 0, top: 0, width: 0.2, height: 0.1 },
      { left: 0.8, top: 0.8, width: 0.1, height: 0.1 },
    ]);
  });

  test('of different height differ below the shorter one', () => {
    const short = { width: 80, height: 40, data: new Uint8ClampedArray(80 * 40 * 4).fill(255) };
    const long = blank();
    long.data.fill(0, 4 * (60 * 80), 4 * (60 * 80) + 3);
    expect(changedRegions(short, long)).toHaveLength(1);
  });
});
