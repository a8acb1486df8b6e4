import { describe, expect, it } from 'vitest';
import { JobFailure, MillraceError, StoreUnavailable } from '../errors.ts';
import { classify, failureInWords, retryAfterMs, stackOf } from './failure.ts';
import { toJsonText } from './json.ts';

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
    [
      'several errors at once',
      new AggregateError(
        [
          Object.assign(new Error('connect ::1:5432'), { code: 'ECONNREFUSED' }),
          new TypeError('no'),
          'oops',
          new Error('the fourth'),
        ],
        'All promises were rejected',
      ),
      {
        code: 'unknown',
        message:
          'AggregateError: All promises were rejected [ECONNREFUSED: connect ::1:5432; TypeError: no; the string "oops"; and 1 more]',
        retryable: true,
      },
    ],
    ['no errors at once', new AggregateError([], 'none'), { message: 'AggregateError: none' }],
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

describe('the stack', () => {
  /** Where it was thrown plays no part here. */
  function messagesOf(stack: string | null): string[] {
    return (stack ?? '').split('\nCaused by: ').map((each) => each.split('\n')[0] ?? '');
  }

  it('comes with those of its causes, in their order', () => {
    const root = new TypeError('socket closed');
    const middle = new JobFailure('upload_failed', 'no upload', { cause: root });
    const stack = stackOf(new Error('no report', { cause: middle }));
    expect(messagesOf(stack)).toEqual([
      'Error: no report',
      expect.stringContaining('no upload'),
      'TypeError: socket closed',
    ]);
    expect(stack).toContain('failure.test.ts');
  });

  it('comes with those of its parts, the first three', async () => {
    const parts = ['a', 'b', 'c', 'd'].map((message) => new TypeError(message));
    const all = await Promise.any(parts.map((part) => Promise.reject(part))).catch(
      (error: unknown) => error,
    );
    const stack = stackOf(new Error('no mirror answers', { cause: all })) ?? '';
    expect(stack.split('\n').filter((line) => !/^\s+at /.test(line))).toEqual([
      'Error: no mirror answers',
      'Caused by: AggregateError: All promises were rejected',
      'Caused by (1 of 4): TypeError: a',
      'Caused by (2 of 4): TypeError: b',
      'Caused by (3 of 4): TypeError: c',
    ]);
  });

  describe('has only the places that someone can change', () => {
    const packages = new URL('../../..', import.meta.url);
    const framesOf = (frames: readonly string[]): string[] => {
      const stack = ['Error: two', 'lines', ...frames].join('\n');
      return (stackOf(Object.assign(new Error('x'), { stack })) ?? '').split('\n');
    };

    it('and its message', () => {
      expect(
        framesOf([
          `    at toJsonText (${packages.pathname}engine/src/values/json.ts:28:11)`,
          `    at newJob (${packages.href}engine/dist/queue/new-job.js:28:11)`,
          '    at new Promise (<anonymous>)',
          '    at async open (node:internal/fs/promises:639:25)',
          `    at async query (${packages.href}stores/postgres/dist/pg.js:1:1)`,
          '    at async write (/app/jobs/report.ts:42:11)',
          '    at async /home/ann/engine/src/mine.ts:1:1',
          '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
          `    at Execution.run (${packages.pathname}engine/src/executor.ts:63:40)`,
        ]),
      ).toEqual([
        'Error: two',
        'lines',
        '    at async write (/app/jobs/report.ts:42:11)',
        '    at async /home/ann/engine/src/mine.ts:1:1',
      ]);
    });

    it('or all, where there are none of these', () => {
      const socket = ['    at TLSWrap.onStreamRead (node:internal/stream_base_commons:216:20)'];
      expect(framesOf(socket)).toEqual(['Error: two', 'lines', ...socket]);
    });

    it('as when the engine itself refuses what a handler gave', () => {
      const refused = (() => {
        try {
          return toJsonText(NaN, 'result');
        } catch (error) {
          return error;
        }
      })();
      expect((stackOf(refused) ?? '').split('\n')[1]).toContain('failure.test.ts');
    });
  });

  it('of causes that go in a circle ends', () => {
    const [a, b] = [new Error('a'), new Error('b')];
    a.cause = b;
    b.cause = a;
    expect(messagesOf(stackOf(a))).toEqual(
      ['a', 'b', 'a', 'b', 'a', 'b'].map((m) => `Error: ${m}`),
    );
  });

  it.each<[string, unknown, string]>([
    ['a string', 'ECONNRESET', 'the string "ECONNRESET"'],
    ['null', null, 'a value of type object'],
    ['a number', 5, 'a value of type number'],
  ])('says what a cause is that is no Error: %s', (_, cause, said) => {
    expect(messagesOf(stackOf(new Error('no', { cause })))).toEqual(['Error: no', said]);
  });

  it.each<[string, unknown]>([
    ['a string', 'oops'],
    ['nothing', undefined],
    ['an object', { stack: 'mine' }],
  ])('is none for %s', (_, thrown) => {
    expect(stackOf(thrown)).toBeNull();
  });

  it('has at most 16,000 characters, without NUL and half pairs', () => {
    const long = Object.assign(new Error('x'), { stack: 'y'.repeat(20_000) });
    expect(stackOf(long)).toBe('y'.repeat(16_000));
    const odd = Object.assign(new Error('x'), { stack: 'a\u0000b\ud83d' });
    expect(stackOf(odd)).toBe('ab\ufffd');
  });

  it('is the message where there is none', () => {
    const bare = new Error('bare');
    Reflect.deleteProperty(bare, 'stack');
    expect(stackOf(Object.assign(bare, { stack: undefined }))).toBe('Error: bare');
  });
});

it.each([
  [new TypeError('x is not a function'), 'TypeError: x is not a function'],
  [new JobFailure('blocked', 'No mail, please.'), 'blocked: No mail, please.'],
  ['text', 'A handler threw the string "text" instead of an Error.'],
])('says %s in words', (thrown, words) => {
  expect(failureInWords(classify(thrown))).toBe(words);
});
