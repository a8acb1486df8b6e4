import { expect, test } from 'vitest';
import { canonicalJson, requestHashOf, sha256 } from './canonical.ts';

test('equal data gives one text', () => {
  const moment = new Date(Date.UTC(2026, 0, 2));
  expect(canonicalJson({ b: [1, { d: undefined, c: -0 }], a: moment, Ä: '\u0001' })).toBe(
    '{"a":"2026-01-02T00:00:00.000Z","b":[1,{"c":0}],"Ä":"\\u0001"}',
  );
  expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }));
  expect(canonicalJson([undefined, null])).toBe('[null,null]');
  expect(canonicalJson({ a: 1.0, b: 1e21 })).toBe('{"a":1,"b":1e+21}');
  expect(canonicalJson(JSON.parse('{"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1}}');
  expect(canonicalJson(undefined)).toBe('null');
});

test('different data gives different texts', () => {
  expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }));
  expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
  expect(canonicalJson({ 'a":1,"b': 2 })).not.toBe(canonicalJson({ a: 1, b: 2 }));
});

test('refuses what JSON cannot say', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  for (const value of [{ a: 1n }, { a: Number.NaN }, [Infinity], circle])
    expect(() => canonicalJson(value)).toThrow(/only JSON/);
});

test('the hash of a request is by template, format and data', () => {
  const request = { templateId: 'tpl-1', outputFormat: 'PDF', data: { b: 1, a: 2 } };
  expect(requestHashOf(request)).toBe(sha256(`tpl-1|PDF|${sha256('{"a":2,"b":1}')}`));
  expect(requestHashOf({ ...request, outputFormat: 'DOCX' })).not.toBe(requestHashOf(request));
});
