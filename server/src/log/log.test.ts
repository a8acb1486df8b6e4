import { stripVTControlCharacters } from 'node:util';
import { StoreUnavailable, createEvents, logEvents } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { createLog } from './log.ts';

function capture(options: { level?: string; readable?: boolean; secrets?: string[] } = {}) {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  return {
    lines,
    log: createLog({ level: 'debug', readable: false, secrets: [], ...options, write }),
  };
}

describe('the log', () => {
  test('hides what jobs are given and give', () => {
    const { log, lines } = capture();
    const personal = { iban: 'p1-secret' };
    log.info({ data: personal, job: { payload: personal, result: 'p2-secret' } }, 'x');
    expect(lines.join('')).not.toMatch(/p\d-secret/);
  });

  test('is a line of JSON with the time and the level in words', () => {
    const { log, lines } = capture();
    log.info({ a: 1 }, 'hello');
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/Z$/) as string,
      a: 1,
      msg: 'hello',
    });
  });

  test('hides what is called a secret, however deep it stands and whatever its case', () => {
    const { log, lines } = capture();
    log.info(
      {
        password: 'p1-secret',
        headers: { authorization: 'p2-secret' },
        job: { token: 'p3-secret' },
        calls: [{ request: { Authorization: 'p4-secret' } }],
      },
      'x',
    );
    expect(lines.join('')).not.toMatch(/p\d-secret/);
    expect(lines.join('')).toContain('[redacted]');
  });

  /** As text: JSON.parse would hide that a key stands twice. */
  function keysOf(line = ''): string[] {
    return [...line.matchAll(/"(\w+)":/g)].map(([, key = '']) => key);
  }

  test.each(['level', 'time', 'msg', 'pid', 'hostname'])(
    'has %s once, whatever a field or a binding is called',
    (name) => {
      const { log, lines } = capture();
      log.info({ [name]: 'apex' }, 'x');
      log.child({ [name]: 'apex' }).info({ [name]: 'objects' }, 'x');
      for (const line of lines) expect(new Set(keysOf(line)).size).toBe(keysOf(line).length);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        level: 'info',
        msg: 'x',
        [`${name}_`]: 'apex',
      });
      expect(lines).toHaveLength(2);
    },
  );

  test('has what is bound once, and what differs from it beside it', () => {
    const { log, lines } = capture();
    const bound = log.child({ id: 'job-1', kind: 'k' });
    bound.info({ id: 'job-1', kind: 'other', n: 1 }, 'x');
    expect(keysOf(lines[0])).toEqual(['level', 'time', 'id', 'kind', 'kind_', 'n', 'msg']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 'job-1', kind: 'k', kind_: 'other' });
  });

  test('takes an error, or a text alone, as pino does', () => {
    const { log, lines } = capture();
    log.error(new Error('broken'));
    log.info('a text');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ err: { message: 'broken' } });
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ msg: 'a text' });
  });

  test('has what a cause said once, and what no other said too', () => {
    const { log, lines } = capture();
    const refused = new Error('connect ECONNREFUSED 127.0.0.1:5432');
    const said = new StoreUnavailable(`The database did not answer: ${refused.message}`, {
      cause: refused,
    });
    log.error({ err: said }, 'x');
    log.error({ err: new TypeError('fetch failed', { cause: said }) }, 'x');
    const circular = new Error('round');
    circular.cause = new Error('and round', { cause: circular });
    log.error(circular);
    log.error({ err: new Error('No connection.', { cause: refused }) }, 'x');
    log.error({ err: 'no error' }, 'x');
    const errors = lines.map((line) => (JSON.parse(line) as { err: { message?: string } }).err);
    expect(errors.map(({ message }) => message)).toEqual([
      said.message,
      `fetch failed: ${said.message}`,
      'round: and round',
      `No connection: ${refused.message}`,
      undefined,
    ]);
    expect(errors[0]).toMatchObject({
      type: 'StoreUnavailable',
      code: 'store_unavailable',
      stack: expect.stringContaining('caused by: Error: connect ECONNREFUSED') as string,
    });
    expect(errors[4]).toBe('no error');
  });

  test('leaves what it was given as it is', () => {
    const { log } = capture();
    const given = { headers: { token: 'secret-1' } };
    log.info(given, 'x');
    expect(given).toEqual({ headers: { token: 'secret-1' } });
  });

  test('cuts known secrets out of anything: messages, stacks, nested values', () => {
    const url = 'postgres://u:pass"word\\1@host/db';
    const { log, lines } = capture({ secrets: [url, 'pass"word\\1'] });
    log.error(
      { err: new Error(`cannot connect to ${url}`), deep: { er: { still: ['pass"word\\1'] } } },
      `tried ${url}`,
    );
    expect(lines.join('')).not.toContain('word\\\\1');
    expect(() => JSON.parse(lines[0] ?? '') as unknown).not.toThrow();
  });

  test('is one line for a person, which cannot steer the terminal', () => {
    const { log, lines } = capture({ readable: true });
    log.warn({ kind: 'hello', note: 'two words', n: 3 }, 'It\u001B[2J happened\u0007');
    const plain = stripVTControlCharacters(lines[0] ?? '');
    expect(plain).toMatch(
      /^\d\d:\d\d:\d\d warn {2}It\?\[2J happened\? kind=hello note="two words" n=3\n$/,
    );
  });

  test('shows a person the stack of an error', () => {
    const { log, lines } = capture({ readable: true });
    log.error({ err: new Error('broken') }, 'oh');
    expect(lines[0]).toMatch(/oh.*\nError: broken\n\s+at /);
  });
});

test('each execution of a job is one line with its outcome and duration', () => {
  const { log, lines } = capture();
  const events = createEvents();
  logEvents(events, log, () => 0);
  const job = { id: 'x-1', kind: 'k', tenant: '', attempt: 1, correlationId: 'c' };
  const error = { code: 'oops', message: 'Why.', retryable: true };
  events.emit('job.started', job);
  events.emit('job.succeeded', { ...job, durationMs: 12.3456 });
  events.emit('job.retrying', { ...job, durationMs: 5, error, stack: null, delayMs: 60_000 });
  events.emit('job.failed', { ...job, durationMs: 5, error, stack: null });
  events.emit('store.failed', { during: 'claim', error: new Error('gone') });
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(said.map(({ level }) => level)).toEqual(['info', 'warn', 'warn', 'error']);
  expect(said[0]).toMatchObject({ id: 'x-1', kind: 'k', correlationId: 'c' });
  expect(said[0]).toMatchObject({ outcome: 'succeeded', durationMs: 12.3 });
  expect(said[2]).toMatchObject({ outcome: 'failed', error: { code: 'oops' } });
  expect(said[2]).not.toHaveProperty('stack');
  expect(said[3]).toMatchObject({ during: 'claim', err: { message: 'gone' } });
});

test('a store that is away is reported once a minute, not at each claim, and again after it was back', () => {
  const { log, lines } = capture();
  const events = createEvents();
  let now = 0;
  logEvents(events, log, () => now);
  const fail = (message: string, during = 'claim') =>
    events.emit('store.failed', { during, error: new Error(message) });
  fail('gone');
  fail('gone');
  fail('gone', 'report');
  expect(lines).toHaveLength(2);
  now = 60_000;
  fail('gone');
  expect(lines).toHaveLength(3);
  fail('full');
  expect(lines).toHaveLength(4);
  events.emit('store.recovered', { during: 'claim' });
  fail('full');
  expect(lines).toHaveLength(6);
});

test('an execution that failed or is tried again says where it was thrown, without secrets', () => {
  const job = { id: 'x-1', kind: 'k', tenant: '', attempt: 1, correlationId: 'c' };
  const error = { code: 'unknown', message: 'No.', retryable: true };
  const stack = 'Error: No.\n    at run (jobs/k.ts:1:1)\nCaused by: Error: key is s3cret-of-all';
  for (const readable of [false, true]) {
    const { log, lines } = capture({ readable, secrets: ['s3cret-of-all'] });
    const events = createEvents();
    logEvents(events, log, () => 0);
    events.emit('job.retrying', { ...job, durationMs: 5, error, stack, delayMs: 60_000 });
    events.emit('job.failed', { ...job, durationMs: 5, error, stack });
    const shown = stack.replace('s3cret-of-all', '[redacted]');
    expect(lines).toHaveLength(2);
    for (const line of lines)
      if (readable) expect(line).toContain(`\n${shown}\n`);
      else expect(JSON.parse(line)).toMatchObject({ stack: shown });
  }
});
