import { describe, expect, it } from 'vitest';
import type { FieldUse } from './compile/ops/uses.ts';
import { missingFields } from './missing-fields.ts';

function use(path: string, more: Partial<FieldUse> = {}): FieldUse {
  return { part: 'p', paragraph: 1, snippet: '', path, kind: 'value', required: true, ...more };
}

describe('fields that the data lacks', () => {
  it('names what every document prints, with the field that was probably meant', () => {
    const fields = [use('nmae'), use('nmae'), use('Due'), use('Customer.City'), use('There')];
    const data = { name: 'Ada', Customer: { Name: 'Mill' }, There: '' };
    expect(missingFields(fields, data)).toBe(
      'The data has nothing for nmae (it has name), Due, Customer.City: left empty.',
    );
  });

  it('names a list that is not there, whose table would have no rows', () => {
    expect(missingFields([use('lines', { kind: 'list' })], { Lines: [] })).toBe(
      'The data has nothing for lines (it has Lines): left empty.',
    );
  });

  it('is silent about what may be missing: in a block, with a default, or null', () => {
    const fields = [use('A', { conditional: true }), use('B', { required: false }), use('C.D')];
    expect(missingFields(fields, { C: null })).toBeNull();
  });

  it('names what has no text: objects, lists of them, and NaN, in loops too', () => {
    const fields = [use('Customer'), use('Lines'), use('Total'), use('Lines[].Item'), use('Tags')];
    const data = {
      Customer: { 'First Name': 'Ada' },
      Lines: [{ Item: 'ok' }, { Item: { Id: 1 } }],
      Total: Number.NaN,
      Tags: ['a', 'b'],
    };
    expect(missingFields(fields, data)).toBe(
      [
        '"Customer" has no text but fields of its own: write one, as in {{Customer.[First Name]}}.',
        '"Lines" is a list whose items have no text: write {{#each Lines}} … {{/each}} or {{join Lines "Name"}}.',
        '"Total" is NaN, which is no number to print.',
        '"Item" has no text but fields of its own: write one, as in {{Item.Id}}.',
      ].join(' '),
    );
    expect(missingFields([use('Customer', { kind: 'condition' })], data)).toBeNull();
  });
});
