import { describe, expect, it } from 'vitest';
import { JobFailure, MillraceError, StoreUnavailable, classify, retryAfterMs } from './errors.ts';

describe('what is kept of what a handler throws', () => {
  it.each<[string, unknown, object]>([
    [
      'an error',
      new TypeError('x is not a function'),
      { code: 'unknown', message: 'TypeError: x is not a function', retryable: true },
    ],
    [
      'a failure',
      new JobFailure('upload_failed', 'no'),
      { code: 'upload_failed', message: 'no', retryable: true },
    ],
    [
      'a final failure',
      new JobFailure('bad', 'no', { retryable: false }),
      { code: 'bad', message: 'no', retryable: false },
    ],
    [
      'a store that is away',
      new StoreUnavailable('gone'),
      { code: 'store_unavailable', message: 'gone', retryable: true },
    ],
    [
      'a full quota',
      new MillraceError('quota_exceeded', 'full'),
      { code: 'quota_exceeded', message: 'full', retryable: true },
    ],
    [
      'a refusal',
      new MillraceError('invalid_payload', 'no'),
      { code: 'invalid_payload', message: 'no', retryable: false },
    ],
    [
      'a string',
      'oops',
      {
        code: 'unknown',
        message: 'A handler threw the string "oops" instead of an Error.',
        retryable: true,
      },
    ],
    [
      'nothing',
      undefined,
      {
        code: 'unknown',
        message: 'A handler threw a value of type undefined instead of an Error.',
        retryable: true,
      },
    ],
    ['an object without a prototype', Object.create(null), { code: 'unknown', retryable: true }],
  ])('%s', (_, thrown, record) => {
    expect(classify(thrown)).toMatchObject(record);
  });

  it('knows the failure of a job file that carries its own copy of the engine', () => {
    const copy = Object.assign(new Error('no'), {
      name: 'JobFailure',
      code: 'theirs',
      retryable: false,
      retryAfterMs: 5,
    });
    expect(classify(copy)).toEqual({ code: 'theirs', message: 'no', retryable: false });
    expect(retryAfterMs(copy)).toBe(5);
    expect(retryAfterMs(new Error('no'))).toBeUndefined();
  });
});

describe('every store can keep it', () => {
  it('without NUL and half pairs, in code and message', () => {
    expect(classify(new JobFailure('a\u0000b', 'x\u0000y\ud83d'))).toMatchObject({
      code: 'ab',
      message: 'xy\ufffd',
    });
  });

  it('cut, also between the halves of a pair', () => {
    const { code, message } = classify(new JobFailure('c'.repeat(200), `${'m'.repeat(3_999)}😀`));
    expect(code).toHaveLength(100);
    expect(message).toHaveLength(4_000);
    expect(message.isWellFormed()).toBe(true);
  });

  it('whatever a job file in JavaScript gives as code or message', () => {
    const failure = Object.assign(new JobFailure('x', 'y'), {
      code: 404,
      message: Object.create(null) as unknown,
    });
    expect(classify(failure)).toEqual({
      code: '404',
      message: 'a value without words',
      retryable: true,
    });
    expect(classify(Object.assign(new Error('x'), { message: Symbol('s') }))).toMatchObject({
      message: 'Error: Symbol(s)',
    });
  });
});

it('keeps the cause', () => {
  const cause = new Error('socket closed');
  expect(new JobFailure('upload_failed', 'no', { cause }).cause).toBe(cause);
});
