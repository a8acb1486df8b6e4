import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MillraceError } from '../errors.ts';
import { MAX_JSON_BYTES, byteLength, checkText, isSameJson, toJsonText } from './json.ts';

const LONE = '\ud83d';

describe('what no store can keep is refused with its place', () => {
  it.each<[string, unknown, string]>([
    ['NUL in a text', { a: [1, { b: 'x\u0000y' }] }, 'a NUL character at $.a[1].b'],
    ['NUL in a key', { 'a\u0000': 1 }, 'a NUL character at $, a key'],
    ['half a pair in a text', [LONE], 'half of a surrogate pair at $[0]'],
    ['the other half', { a: 'x\udc00' }, 'half of a surrogate pair at $.a'],
    ['half a pair in a key', { deep: { [LONE]: 1 } }, 'half of a surrogate pair at $.deep, a key'],
    ['what a toJSON writes', { a: { toJSON: () => 'x\u0000' } }, 'a NUL character at $.a'],
  ])('%s', (_, value, place) => {
    expect(() => toJsonText(value, 'payload')).toThrow(`The payload holds ${place}.`);
    expect(() => toJsonText(value, 'payload')).toThrow(
      expect.objectContaining({ code: 'invalid_text' }),
    );
  });
});

describe('what only looks like it is kept', () => {
  it.each<[string, unknown]>([
    ['an escaped backslash before u0000', { path: 'C:\\u0000', key: '\\\\u0000' }],
    ['an escaped backslash before ud8', ['\\ud83d', '\\udead']],
    ['a whole pair', { '😀': '😀' }],
    ['a key that is not written', { 'a\u0000': undefined, b: 1 }],
  ])('%s', (_, value) => {
    expect(toJsonText(value, 'payload')).toBe(JSON.stringify(value));
  });
});

describe('the size is counted in bytes', () => {
  it.each(['a', 'é', '€', '😀'])('of %s', (letter) => {
    expect(byteLength(letter)).toBe(Buffer.byteLength(letter));
  });

  it('up to the last one', () => {
    const fits = '€'.repeat((MAX_JSON_BYTES - 4) / 3) + 'aa';
    expect(byteLength(toJsonText(fits, 'payload'))).toBe(MAX_JSON_BYTES);
    expect(() => toJsonText(`${fits}a`, 'payload')).toThrow(
      `The payload has ${MAX_JSON_BYTES + 1} bytes; at most ${MAX_JSON_BYTES} are kept.`,
    );
    expect(() => toJsonText(`${fits}a`, 'payload')).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }),
    );
  });
});

describe('what is not JSON', () => {
  it('a cycle', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(() => toJsonText(cycle, 'result')).toThrow(
      expect.objectContaining({ code: 'invalid_payload' }),
    );
    expect(() => toJsonText(cycle, 'result')).toThrow(
      'The result is not JSON: TypeError: Converting circular structure',
    );
  });

  it.each<[string, unknown]>([
    [
      'a toJSON that throws',
      {
        toJSON() {
          throw new Error('no');
        },
      },
    ],
    ['too deep', nested(100_000, 1)],
  ])('%s', (_, value) => {
    expect(() => toJsonText(value, 'result')).toThrow(
      expect.objectContaining({ code: 'invalid_payload' }),
    );
  });

  it('nothing at all is null', () => {
    expect(toJsonText(undefined, 'result')).toBe('null');
  });
});

describe('what JSON would change without a word is refused with its place', () => {
  class Invoice {
    readonly total = 5;
  }
  class Secretive {
    readonly #total = 5;
    total = (): number => this.#total;
  }
  class Hidden {
    readonly #total = 5;
    get total(): number {
      return this.#total;
    }
  }

  it.each<[string, unknown, string]>([
    ['NaN', NaN, 'NaN at $,'],
    ['an infinite number', { a: [1, { b: -Infinity }] }, '-Infinity at $.a[1].b,'],
    ['undefined in an array', [1, undefined], 'undefined at $[1],'],
    // oxlint-disable-next-line no-sparse-arrays
    ['a hole in an array', { list: [1, , 3] }, 'undefined at $.list[1],'],
    ['a BigInt', { n: 1n }, 'a BigInt at $.n,'],
    ['a function', { a: () => 1 }, 'a function at $.a,'],
    ['a function alone', () => 1, 'a function at $,'],
    ['a symbol', [Symbol('s')], 'a symbol at $[0],'],
    ['a Map', new Map([[1, 2]]), 'an object of the class Map at $,'],
    ['a Set', { seen: new Set([1]) }, 'an object of the class Set at $.seen,'],
    ['an Error', { error: new TypeError('no') }, 'an object of the class TypeError at $.error,'],
    ['bytes', [new Uint8Array(2)], 'an object of the class Uint8Array at $[0],'],
    ['a promise', { a: Promise.resolve(1) }, 'an object of the class Promise at $.a,'],
    ['an object that hides its data', [new Hidden()], 'an object of the class Hidden at $[0],'],
    ['an object of functions', [new Secretive()], 'a function at $[0].total,'],
    ['an invalid date', { at: new Date(NaN) }, 'an invalid date at $.at,'],
    ['what a toJSON gives', { a: { toJSON: () => [NaN] } }, 'NaN at $.a[0],'],
  ])('%s', (_, value, place) => {
    expect(() => toJsonText(value, 'result')).toThrow(`The result holds ${place}`);
    expect(() => toJsonText(value, 'result')).toThrow(
      expect.objectContaining({ code: 'invalid_payload' }),
    );
  });

  it.each<[string, unknown, string]>([
    ['a member that is undefined', { a: undefined, b: 1 }, '{"b":1}'],
    ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['an address', [new URL('https://a.example/')], '["https://a.example/"]'],
    ['an object of a class', [new Invoice()], '[{"total":5}]'],
    ['no prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['another realm', runInNewContext('({ a: [1, { b: null }] })'), '{"a":[1,{"b":null}]}'],
    ['a toJSON that gives nothing', { a: { toJSON: () => undefined }, b: 1 }, '{"b":1}'],
  ])('not so %s', (_, value, text) => {
    expect(toJsonText(value, 'result')).toBe(text);
  });
});

it.each([3_000, 4_000, 5_000, 50_000])(
  '%d levels above a NUL are refused in words, never by the end of the stack',
  (levels) => {
    expect(() => toJsonText(nested(levels, '\u0000'), 'result')).toThrow(MillraceError);
  },
);

function nested(levels: number, inner: unknown): unknown {
  return Array.from({ length: levels }).reduce<unknown>((value) => [value], inner);
}

describe('the same value, written in another way', () => {
  it.each([
    ['{"a":1,"b":[1,{"c":null}]}', '{"b": [1, {"c": null}], "a": 1}'],
    ['1', '1.0'],
    ['[]', '[ ]'],
  ])('%s is %s', (a, b) => {
    expect(isSameJson(a, b)).toBe(true);
  });

  it.each([
    ['{"a":1}', '{"a":2}'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"a":1}', '{"b":1}'],
    ['[1]', '{"0":1}'],
    ['[1,2]', '[2,1]'],
    ['null', '{}'],
    ['"1"', '1'],
  ])('%s is not %s', (a, b) => {
    expect(isSameJson(a, b)).toBe(false);
    expect(isSameJson(b, a)).toBe(false);
  });
});

describe('a short text', () => {
  it('is kept as it is', () => {
    expect(checkText('größe', 'tenant', 5)).toBe('größe');
  });

  it.each(['', 'toolong', 'a\u0000', LONE])('is refused: %j', (text) => {
    expect(() => checkText(text, 'tenant', 5)).toThrow(
      expect.objectContaining({ code: 'invalid_text' }),
    );
  });
});

it('numbers count as they are written out: a database has no exponents', () => {
  const some = Array.from({ length: 100_000 }, () => 1e300);
  expect(() => toJsonText(some, 'payload')).toThrow('30700001 bytes with its numbers written out');
  expect(() => toJsonText(some.map(String), 'payload')).not.toThrow();
  expect(() => toJsonText({ a: [1e300, 1e-7, { b: 5e-324 }] }, 'payload')).not.toThrow();
});
