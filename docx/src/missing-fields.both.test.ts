import { describe, expect } from 'vitest';
import type { FieldUse } from './compile/ops/uses.ts';
import { missingFields } from './missing-fields.ts';
import { nearest, shapeOfSchema, unknownAt } from './shape.ts';
import { inFast, inLong } from '../../scripts/suite.ts';

function use(path: string, more: Partial<FieldUse> = {}): FieldUse {
  return { part: 'p', paragraph: 1, snippet: '', path, kind: 'value', required: true, ...more };
}

describe('fields that the data lacks', () => {
  inFast('names what every document prints, with the field that was probably meant', () => {
    const fields = [use('nmae'), use('nmae'), use('Due'), use('Customer.City'), use('There')];
    const data = { name: 'Ada', Customer: { Name: 'Mill' }, There: '' };
    expect(missingFields(fields, data)).toBe(
      'The data has nothing for nmae (it has name), Due, Customer.City: left empty.',
    );
  });

  inFast('names a list that is not there, whose table would have no rows', () => {
    expect(missingFields([use('lines', { kind: 'list' })], { Lines: [] })).toBe(
      'The data has nothing for lines (it has Lines): left empty.',
    );
  });

  inFast('compares a limited number of names, however many the data has', () => {
    const keys = Array.from({ length: 150_000 }, (_, n) => [`a key of some length ${n}`, 1]);
    const fields = Array.from({ length: 500 }, (_, n) => use(`a field of some length ${n}`));
    // Each field with each key would take minutes.
    expect(missingFields(fields, Object.fromEntries(keys))).toContain('and 490 more: left empty.');
    let looked = 0;
    function* counted() {
      for (; looked < 150_000; looked++) yield `key ${looked}`;
    }
    expect(nearest('kye 12345678', counted())).toBeUndefined();
    expect(looked).toBeLessThan(40_000);
  });

  inLong('puts the items of a list together in one go', () => {
    // One after the other would copy 200,000 keys 200 times.
    const items = Array.from({ length: 199 }, (_, i) =>
      Object.fromEntries(
        Array.from({ length: 1_000 }, (__, n) => [`k${i}_${n}`, { [`v${i}`]: 1 }]),
      ),
    );
    const data = { Lines: [...items, { k0_0: { more: 1 } }] };
    const fields = ['k0_0.v0', 'k198_999.v198', 'k0_0.less'].map((key) => use(`Lines[].${key}`));
    expect(missingFields(fields, data)).toBe(
      'The data has nothing for Lines[].k0_0.less: left empty.',
    );
  });

  inFast('is silent about what may be missing: in a block, with a default, or null', () => {
    const fields = [use('A', { conditional: true }), use('B', { required: false }), use('C.D')];
    expect(missingFields(fields, { C: null })).toBeNull();
  });

  inFast('names what has no text: objects, lists of them, and NaN, in loops too', () => {
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

describe('a schema', () => {
  inFast('that refers to itself from each of many fields is read in part', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`f${n}`, { $ref: '#' }]),
    );
    const shape = shapeOfSchema({ type: 'object', properties });
    expect(unknownAt(shape, 'f0.f1')).toBeUndefined();
    expect(unknownAt(shape, 'g')).toMatchObject({ key: 'g' });
  });
});
