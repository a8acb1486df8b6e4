import { describe, expect, test } from 'vitest';
import { isLong } from '../../../../scripts/need.mjs';
import { checkSql } from './check.ts';
import { NO_CATALOGUE, columnsOf, tablesOf } from './columns.ts';
import { MAX_DEPTH, MAX_LENGTH } from './document.ts';
import { formatSql } from './format.ts';

const nested = (open: string, inner: string, close: string, times: number) =>
  `${open.repeat(times)}${inner}${close.repeat(times)}`;
const many = (part: string, times: number, between = ',') =>
  Array.from({ length: times }, () => part).join(between);

/** Whole in the long suite; a text of a fifth shows the same by its findings, and less by its time. */
const sized = (count: number): number => (isLong ? count : count / 5);

/** Texts whose reading would take minutes or overflow the stack if it were not linear in length, and bounded in depth. */
const HOSTILE: Readonly<Record<string, string>> = {
  parentheses: `SELECT ${nested('(', '1', ')', sized(10_000))} AS a`,
  'CASE in CASE': `SELECT ${nested('CASE WHEN 1 = 1 THEN ', '1', ' END', sized(5_000))} AS a`,
  'subqueries, as deep as allowed': `SELECT a FROM ${nested('(SELECT a FROM ', 't', ') x', MAX_DEPTH)}`,
  'doubled subqueries': `SELECT a FROM ${nested('((SELECT a FROM ', 't', ') x)', MAX_DEPTH / 2)}`,
  'stars of stars': `SELECT * FROM ${nested('(SELECT * FROM ', '_Sent', ') x', MAX_DEPTH)}`,
  'functions of functions': `SELECT ${nested('COALESCE(1, ', 'a', ')', MAX_DEPTH)} AS b FROM t`,
  'scalar queries': `SELECT ${nested('(SELECT ', 'b AS b', ' FROM _Sent)', MAX_DEPTH)} AS a`,
  conditions: `SELECT a FROM t WHERE ${many('a = 1', sized(40_000), ' AND ')}`,
  sums: `SELECT ${many('1', sized(60_000), '+')} AS a`,
  unions: many('SELECT a FROM t', sized(20_000), ' UNION '),
  columns: `SELECT ${many('abcdefgh', sized(30_000))} FROM t`,
  sources: `SELECT * FROM ${many('_Sent', sized(15_000))}`,
  'columns of sources': `SELECT ${many('zz', sized(30_000))} FROM ${many('_Sent', sized(15_000))}`,
  'SELECT only': 'SELECT '.repeat(sized(70_000)),
  JOIN: `SELECT a FROM t ${'JOIN '.repeat(sized(90_000))}`,
  LEFT: `SELECT a FROM t ${'LEFT '.repeat(sized(90_000))}`,
  GO: `SELECT a FROM t ${'GO '.repeat(sized(150_000))}`,
  commas: `SELECT ${','.repeat(sized(100_000))}`,
  dots: `SELECT ${'a.'.repeat(sized(200_000))}a FROM t`,
  variables: '@a '.repeat(sized(150_000)),
  quotes: "'".repeat(sized(MAX_LENGTH) - 1),
  brackets: '['.repeat(sized(400_000)),
  'comments, open': '/*'.repeat(sized(200_000)),
  'comments, each on its line': `${'-- a\n'.repeat(sized(90_000))}SELECT a FROM t`,
  'one word': 'a'.repeat(sized(MAX_LENGTH)),
  'one number': `SELECT ${'1'.repeat(sized(400_000))} AS a`,
  spaces: ' '.repeat(sized(MAX_LENGTH)),
  lines: '\n'.repeat(sized(MAX_LENGTH)),
  'a megabyte': `SELECT ${many('abcdefgh', sized(120_000))} FROM t`,
  NUL: "SELECT '\u0000' AS a, b\u0000c FROM \u0000",
  'half a surrogate pair': "SELECT '\ud83d' AS a, \udc00 FROM t",
};

describe('hostile text is read in bounded time, or not at all', () => {
  test.each(Object.entries(HOSTILE))('%s', (_, sql) => {
    const { findings } = checkSql(sql, NO_CATALOGUE);
    expect(findings.length).toBeLessThanOrEqual(50);
    expect(Math.max(0, ...findings.map((finding) => finding.message.length))).toBeLessThan(300);
    columnsOf(sql, NO_CATALOGUE);
    tablesOf(sql);
    expect(formatSql(sql).length).toBeLessThan(sql.length * 40 + 100);
  });
});

test('too long and too deep are refused by name', () => {
  const codes = (sql: string) => checkSql(sql).findings.map((finding) => finding.code);
  expect(codes(`SELECT ${'a'.repeat(MAX_LENGTH)} FROM t`)).toEqual(['too_long']);
  expect(codes(`SELECT ${nested('(', '1', ')', MAX_DEPTH + 1)} AS a`)).toEqual([
    'nested_too_deeply',
  ]);
  expect(codes(`SELECT ${nested('(', '1', ')', MAX_DEPTH)} AS a`)).toEqual([]);
});
