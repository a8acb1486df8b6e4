import { describe, expect, it, test } from 'vitest';
import { SourceError } from '../errors.ts';
import { bindNames, placeAt } from './bind-names.ts';

const TYPES = { county: 'int', from: 'date', name: 'text', n: 'int' };
const bind = (sql: string, nulls: readonly string[] = []) =>
  bindNames(sql, TYPES, (name) => nulls.includes(name));

const COUNTY = "(current_setting('rp.county')::int)";
const N = "(current_setting('rp.n')::int)";

describe('names become settings', () => {
  test.each([
    ['SELECT :county', `SELECT ${COUNTY}`],
    [
      'SELECT 1 WHERE a=:county AND b IN(:n,:county)',
      `SELECT 1 WHERE a=${COUNTY} AND b IN(${N},${COUNTY})`,
    ],
    ['SELECT :county::text', `SELECT ${COUNTY}::text`],
    ['SELECT -:n', `SELECT -${N}`],
    ['SELECT a[:n]', `SELECT a[${N}]`],
    ['SELECT a[1: :n]', `SELECT a[1: ${N}]`],
    ['SELECT a[CASE WHEN b THEN :n END]', `SELECT a[CASE WHEN b THEN ${N} END]`],
    ['SELECT /* /* :x */ :y */ :n -- :z', `SELECT /* /* :x */ :y */ ${N}`],
    ["SELECT '''' || :n", `SELECT '''' || ${N}`],
    ['SELECT $$:x$$ || :n', `SELECT $$:x$$ || ${N}`],
    ['SELECT $a$ $$ :x $b$ $a$ || :n', `SELECT $a$ $$ :x $b$ $a$ || ${N}`],
    ['SELECT a$b$:n', `SELECT a$b$${N}`],
    ["SELECT E'\\' :x' || :n", `SELECT E'\\' :x' || ${N}`],
    ["SELECT E'\\\\' || :n", `SELECT E'\\\\' || ${N}`],
    ["SELECT E'a' -- it's\n  '\\' :x' || :n", `SELECT E'a' -- it's\n  '\\' :x' || ${N}`],
    ["SELECT '\\' || :n", `SELECT '\\' || ${N}`],
    ['SELECT :n ; -- the end', `SELECT ${N}`],
    ['SELECT ":n", ":x""" FROM t WHERE :n > 1', `SELECT ":n", ":x""" FROM t WHERE ${N} > 1`],
  ])('%s', (sql, text) => {
    expect(bind(sql).text).toBe(text);
  });

  test.each([
    ['dashes after a text with backslashes', "SELECT E'a\\tb' ", '-', 60, ' '],
    ['many dashes', "SELECT E'a' ", '-', 1_000_000, ''],
    ['lines of comments', "SELECT E'a'\n", '-- \n', 100_000, ''],
    ['spaces', "SELECT E'a'", ' ', 1_000_000, ''],
    ['breaks', "SELECT E'a'", '\n', 1_000_000, ''],
    ['texts and spaces', 'SELECT 1', " || E'a' -- x\n", 50_000, ''],
  ])('in time that grows with the text: %s', (_, start, piece, times, end) => {
    // A pattern that tries each way to divide dashes into comments never ends, and takes the server along.
    const sql = `${start}${piece.repeat(times)}${end}\n, :n`;
    expect(bind(sql).names).toEqual(['n']);
  });

  test.each([
    "SELECT 'a :county b'",
    "SELECT E':county \\' :x'",
    "SELECT B'1', X':county', U&':county', N':county'",
    'SELECT ":county"',
    'SELECT $$ :county $$, $tag$ :county $tag$',
    'SELECT a::int, b ::text, c:: date',
    'SELECT a[1:2], a[b:c], a[:], a[1:], a[:2], a[f(1):g(2)], a[b[1]:c]',
    'SELECT f(a := 1)',
    'SELECT 1 -- :county',
    'SELECT 1 /* :county /* :x */ :y */',
  ])('left alone: %s', (sql) => {
    expect(bind(sql).names).toEqual([]);
  });

  it('gives each name once, and NULL by its text', () => {
    const { text, names } = bind('SELECT :n, :county, :n, :from', ['from']);
    expect(names).toEqual(['n', 'county', 'from']);
    expect(text).toBe(`SELECT ${N}, ${COUNTY}, ${N}, (NULL::date)`);
  });

  it('takes types of several words, with sizes and of arrays, and nothing else for one', () => {
    const typed = (type: string): string => bindNames('SELECT :a', { a: type }, () => false).text;
    expect(typed('double precision')).toContain("'rp.a')::double precision)");
    expect(typed('numeric(10, 2)')).toContain('::numeric(10, 2))');
    expect(typed('text[]')).toContain('::text[])');
    for (const type of ['int) OR (true', "int'", 'int;', 'int--', ''])
      expect(() => typed(type)).toThrow(SourceError);
  });

  it('knows no names that an object has by itself', () => {
    expect(() => bindNames('SELECT :toString', {}, () => false)).toThrow('There is no parameter');
  });

  it('finds the place of an error in what the author wrote', () => {
    const sql = 'SELECT :county, :n,\n  missing';
    const bound = bind(sql);
    for (const word of ['missing', ', :n', '\n'])
      expect(bound.originalOffset(bound.text.indexOf(word.replace(':n', N)))).toBe(
        sql.indexOf(word),
      );
    // Somewhere in what a name became: the name.
    expect(bound.originalOffset(bound.text.indexOf("rp.n'"))).toBe(sql.indexOf(':n'));
    expect(placeAt(sql, sql.indexOf('missing'))).toEqual({ line: 2, column: 3 });
    expect(placeAt("SELECT '😀', :x", "SELECT '😀', ".length)).toEqual({ line: 1, column: 13 });
    expect(placeAt('a\r\nb', 3)).toEqual({ line: 2, column: 1 });
  });
});

describe('refused with its place', () => {
  test.each([
    ['SELECT :nobody', ':nobody', 'no parameter :nobody. Declared are :county, :from, :name, :n'],
    ['SELECT :näme', ':n', 'no parameter :näme'],
    ["SELECT :'n'", ":'n'", 'without quotes'],
    ['SELECT $1', '$1', 'has a name'],
    ['SELECT 1; DROP TABLE t', '; D', 'one statement'],
    ['SELECT 1; SELECT 2;', '; S', 'one statement'],
    ['SELECT 1) UNION (SELECT 2', ') U', 'closes nothing'],
    ['SELECT (1', '(1', 'not closed'],
    ['SELECT (a[1)]', ')]', 'closes nothing'],
    ["SELECT 'abc", "'abc", 'does not end'],
    ["SELECT E'abc\\'", "'abc", 'does not end'],
    ['SELECT "abc', '"abc', 'does not end'],
    ['SELECT $x$ abc $y$', '$x$', 'does not end'],
    ['SELECT 1 /* /* */', '/* /*', 'does not end'],
    ['SELECT U&"\\0061"', 'U&', 'Unicode escapes'],
    ['SELECT \0', '\0', 'NUL'],
    ['', '', 'no SQL'],
    ['-- nothing', '-', 'no SQL'],
    ['DELETE FROM t', 'DELETE', 'one SELECT'],
    ['COMMIT', 'COMMIT', 'one SELECT'],
    ["SET LOCAL rp.n = '1'", 'SET', 'one SELECT'],
    ["COPY t TO PROGRAM 'x'", 'COPY', 'one SELECT'],
    ['EXPLAIN SELECT 1', 'EXPLAIN', 'one SELECT'],
  ])('%s', (sql, at, message) => {
    const thrown = caught(() => bind(sql));
    expect(thrown).toMatchObject({ code: 'bad_sql', retryable: false, position: sql.indexOf(at) });
    expect(thrown.message).toContain(message);
  });
});

function caught(work: () => unknown): SourceError {
  try {
    work();
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
