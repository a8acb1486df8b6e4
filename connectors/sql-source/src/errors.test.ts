import { describe, expect, it, test } from 'vitest';
import { SourceError, SourceUnavailable, sourceError, unavailable } from './errors.ts';

const thrown = (code: string, message = 'said', more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more });

describe('may succeed later', () => {
  test.each([
    '08006',
    '40001',
    '40P01',
    '53100',
    '53200',
    '53300',
    '55006',
    '55P03',
    '57014',
    '57P01',
    '57P02',
    '57P03',
    '58030',
    '25P03',
    '25P04',
    '72000',
    'XX000',
    'ECONNRESET',
    'ECONNREFUSED',
    'ETIMEDOUT',
    'EPIPE',
    'ENOTFOUND',
    '',
  ])('%s', (code) => {
    expect(sourceError(thrown(code))).toMatchObject({ retryable: true });
  });
});

describe('will not', () => {
  test.each([
    ['25006', 'may only read'],
    ['42501', 'GRANT'],
    ['42601', 'not valid'],
    ['42703', 'column'],
    ['42P01', 'table'],
    ['53400', 'temp_file_limit'],
    ['0A000', 'refused'],
    ['XX001', 'refused'],
  ])('%s', (code, words) => {
    const error = sourceError(thrown(code, 'said', { position: '1' }));
    expect(error).toMatchObject({ code, retryable: false });
    expect(error).not.toBeInstanceOf(SourceUnavailable);
    expect(error.message).toContain(words);
    expect(error.message).toContain('(said)');
  });
});

/** A condition of the SQL may be computed for rows that the row rules keep from whoever reads the sentence. */
describe('never repeats a value of a row', () => {
  test.each([
    ['22P02', 'A row cannot be computed', 'no value of the type'],
    ['22012', 'A row cannot be computed', 'division by zero'],
    ['22P99', 'A row cannot be computed', 'SQLSTATE 22P99'],
    ['21000', 'refused', 'more than one row'],
    ['P0001', 'refused', 'SQLSTATE P0001'],
    ['38000', 'refused', 'SQLSTATE 38000'],
    // By a cast to regclass.
    ['42P01', 'table', 'SQLSTATE 42P01'],
  ])('%s', (code, ...words) => {
    const cause = thrown(code, 'for type integer: "a secret"', { hint: 'Look at "a secret".' });
    const error = sourceError(cause);
    expect(error).toMatchObject({ code, retryable: false, cause });
    for (const each of [...words, 'the log of the server']) expect(error.message).toContain(each);
    expect(error.message).not.toContain('secret');
  });
});

it('is the source that is away, not the SQL, before a statement was sent', () => {
  for (const code of [
    '28P01',
    '28000',
    '3D000',
    '53300',
    '57P03',
    '42501',
    'ECONNREFUSED',
    'CERT_HAS_EXPIRED',
  ])
    expect(unavailable(thrown(code)), code).toBeInstanceOf(SourceUnavailable);
});

it('passes on what has been translated, and hints', () => {
  const own = new SourceError('x', { code: 'y', retryable: false });
  expect(sourceError(own)).toBe(own);
  expect(unavailable(own)).toBe(own);
  expect(
    sourceError(thrown('42703', 'no x', { hint: 'Perhaps y.', position: '8' })).message,
  ).toContain('no x; hint: Perhaps y.');
});

it('gives the place in the SQL as it was handed over', () => {
  const sql = "SELECT '😀', x";
  const at = (position: number) =>
    sourceError(thrown('42703', 'no', { position: String(position) }), sql, 'COPY (').position;
  // Postgres counts the emoji as one character, from 1 on, with what stands before the SQL.
  expect(at('COPY ('.length + "SELECT '_', ".length + 1)).toBe(sql.indexOf('x'));
  expect(at(3)).toBeNull();
  expect(sourceError(thrown('42703'), sql).position).toBeNull();
});

it('does not ask for a right that only a lock needs', () => {
  const denied = thrown('42501', 'permission denied for table hours');
  for (const lock of ['FOR UPDATE', 'for\n share OF hours', 'FOR NO KEY UPDATE', 'FOR KEY SHARE']) {
    const { message } = sourceError(denied, `SELECT * FROM hours ${lock}`);
    expect(message).toContain('locks rows');
    expect(message).not.toContain('GRANT');
  }
  expect(sourceError(denied, 'SELECT * FROM hours').message).toContain('GRANT it SELECT');
});

it('names every address that did not answer', () => {
  const error = new AggregateError([new Error('a'), new Error('b')], '');
  expect(unavailable(error).message).toContain('(a; b)');
});
