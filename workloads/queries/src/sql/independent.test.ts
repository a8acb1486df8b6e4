import { init, outputColumns } from '@polyglot-sql/sdk';
import { beforeAll, expect, test } from 'vitest';

import { NO_CATALOGUE, columnsOf } from './columns.ts';

/** A parser of T-SQL that is not ours must find the same names in the same order. */
const QUERIES = [
  'SELECT a, t.b, [c d], t.[e] AS f, g AS "h i" FROM t',
  "SELECT DISTINCT TOP 10 a AS 'x', 1 one, 'two' AS two, NULL AS nothing FROM t",
  'SELECT TOP (5) PERCENT WITH TIES a FROM t ORDER BY a',
  "SELECT CASE WHEN a = 1 THEN 'b' ELSE 'c' END AS d, CASE a WHEN 1 THEN 2 END e FROM t",
  'SELECT COUNT(*) AS n, COUNT(DISTINCT a) m, SUM(a) + 1 AS s FROM t GROUP BY b HAVING COUNT(*) > 1',
  'SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC) AS rn, LAG(a, 1) OVER (ORDER BY b) prev FROM t',
  'SELECT a FROM t UNION ALL SELECT b FROM u EXCEPT SELECT c FROM v',
  'SELECT s.a, (SELECT MAX(b) FROM u WHERE u.a = s.a) AS latest FROM t s',
  'SELECT a.k, b.v FROM t a LEFT JOIN (SELECT k, MAX(v) AS v FROM u GROUP BY k) b ON a.k = b.k',
  'SELECT t.a, x.b FROM t CROSS APPLY (SELECT TOP 1 b FROM u WHERE u.a = t.a ORDER BY c) AS x',
  "SELECT STRING_AGG(a, ', ') WITHIN GROUP (ORDER BY a) AS names FROM t",
  "SELECT CONVERT(VARCHAR(10), d AT TIME ZONE 'UTC' AT TIME ZONE 'Central Standard Time', 120) AS day FROM t",
  "SELECT a -- first\n, /* second */ b FROM t WITH (NOLOCK) WHERE c LIKE '%FROM%'",
  'SELECT CAST(a AS DECIMAL(10, 2)) AS price, IIF(b = 1, 2, 3) AS c, -d AS e FROM Ent.[My DE] t',
  'SELECT a FROM t WHERE b IN (SELECT c FROM u) AND EXISTS (SELECT 1 FROM v) AND d BETWEEN 1 AND 2',
  "SELECT v.id, v.name FROM (VALUES (1, 'a'), (2, 'b')) AS v (id, name)",
];

beforeAll(() => init());

test.each(QUERIES)('%s', (sql) => {
  const { output } = outputColumns(sql, 'tsql');
  const names = output?.columns.map((column) => ('name' in column ? column.name : '*'));
  expect(columnsOf(sql, NO_CATALOGUE)?.map((column) => column.name)).toEqual(names);
});
