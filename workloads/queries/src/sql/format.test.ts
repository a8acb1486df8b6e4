import { describe, expect, test } from 'vitest';

import { checkSql } from './check.ts';
import { NO_CATALOGUE, columnsOf, tablesOf } from './columns.ts';
import { formatSql } from './format.ts';
import { type Token, lex } from './tokens.ts';

/** What a text says: its tokens, comments among them, words in one case. */
function said(text: string): string[] {
  return lex(text).tokens.map((token: Token) => token.word || token.text.trimEnd());
}

describe('a query is laid out', () => {
  test('with a line for each column, join and condition', () => {
    const sql = `select distinct top (10) percent with ties s.SubscriberKey, count(*) over (partition by s.JobID order by s.EventDate desc) as n
      , case when s.a between 1 and 2 and s.b='x' then 'a long text that goes on' else left(s.d,3) end as [My Col],(select max(x) from b) as m
      from _Sent s with (nolock) left outer join (select a,b from [My DE] where a in (1,2) and b not in (select q from r)) as d on d.a=s.a and d.b=- 2
      where s.EventDate>dateadd(day,-7,getdate()) and s.c between 1 and 2 and (s.a=1 or s.b=2) group by s.a,s.b union all select a from q order by 1`;
    expect(formatSql(sql)).toBe(
      `
SELECT DISTINCT TOP (10) PERCENT WITH TIES
  s.SubscriberKey,
  count(*) OVER (PARTITION BY s.JobID ORDER BY s.EventDate DESC) AS n,
  CASE
    WHEN s.a BETWEEN 1 AND 2 AND s.b = 'x' THEN 'a long text that goes on'
    ELSE LEFT(s.d, 3)
  END AS [My Col],
  (
    SELECT max(x)
    FROM b
  ) AS m
FROM _Sent s WITH (nolock)
LEFT OUTER JOIN (
  SELECT
    a,
    b
  FROM [My DE]
  WHERE a IN (1, 2)
    AND b NOT IN (
      SELECT q
      FROM r
    )
) AS d
  ON d.a = s.a
  AND d.b = -2
WHERE s.EventDate > dateadd(day, -7, getdate())
  AND s.c BETWEEN 1 AND 2
  AND (s.a = 1 OR s.b = 2)
GROUP BY s.a, s.b
UNION ALL
SELECT a
FROM q
ORDER BY 1`.trim(),
    );
  });

  test('with its comments where they were', () => {
    const sql = `-- Who opened
/* and clicked */ select a, -- the key
b /* inline */ as c
-- about d
, d from t -- the end
where x = 1 -- why`;
    expect(formatSql(sql)).toBe(
      `
-- Who opened
/* and clicked */ SELECT
  a, -- the key
  b /* inline */ AS c
  -- about d
  , d
FROM t -- the end
WHERE x = 1 -- why`.trim(),
    );
  });

  test('with names as they are written, also those of keywords', () => {
    const sql = 'select [from], t.order, "select", Ties, partition from t';
    expect(formatSql(sql)).toBe(
      'SELECT\n  [from],\n  t.order,\n  "select",\n  Ties,\n  partition\nFROM t',
    );
  });

  test.each(["select 'a", 'select (a from t', '/* select', 'select a) from t', ''])(
    '%s stays as it is',
    (sql) => {
      expect(formatSql(sql)).toBe(sql);
    },
  );
});

/** Numbers that repeat for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES =
  `SELECT select DISTINCT TOP 10 ( ( ) ) FROM WHERE AND OR GROUP BY ORDER UNION ALL JOIN LEFT INNER ON AS CASE WHEN THEN ELSE END
  BETWEEN IN NULL a b t.a [my|de] "q|q" 'it''s' N'x' N 1 .5 1. 1e5 0xA1 - - + * / , , , . ; = <> <= @v #t ## :: { } ? é \\ ! % OVER COUNT( MAX( GO
  PARTITION TIES WITH PIVOT APPLY CROSS OUTER VALUES COLLATE EXISTS LIMIT INTO FOR OPTION HAVING _Sent Ent._Open`.split(
    /\s+/,
  );
const GAPS = [
  ' ',
  ' ',
  ' ',
  '\n',
  '  ',
  '\r\n',
  '\t',
  '',
  ' /* c */ ',
  '/* a /* b */ */',
  ' -- c\n',
  '\n-- own line\n',
  '\u00a0',
];

/** Not SQL, for the most part: what people type is not always SQL either. */
function soup(random: (below: number) => number): string {
  const length = 1 + random(60);
  const pieces = Array.from(
    { length },
    () => `${PIECES[random(PIECES.length)]?.replace('|', ' ')}${GAPS[random(GAPS.length)]}`,
  );
  return (random(2) === 0 ? 'SELECT ' : '') + pieces.join('');
}

/** SQL of a kind that exists. */
function query(random: (below: number) => number, depth = 0): string {
  const pick = (...choices: readonly (() => string)[]) =>
    (choices[random(choices.length)] ?? (() => '1'))();
  const gap = () => GAPS[random(GAPS.length - 1)] || ' ';
  const nested = depth < 3;
  const expression = (level = 0): string =>
    pick(
      () => `t${gap()}.a`,
      () => "'x -- y'",
      () => '-1',
      () => `${level < 3 ? expression(level + 1) : '2'}${gap()}-${gap()}-1`,
      () =>
        `CASE${gap()}WHEN a BETWEEN 1 AND 2 THEN ${level < 3 ? expression(level + 1) : 'NULL'} ELSE 'else' END`,
      () => `COUNT(*) over (partition${gap()}by b order by c)`,
      () => (nested && level < 2 ? `(${query(random, depth + 1)})` : 'LEFT(b, 3)'),
    );
  const items = Array.from(
    { length: 1 + random(4) },
    (_, at) => `${expression()}${gap()}as c${at}`,
  ).join(`${gap()},${gap()}`);
  const source = nested && random(3) === 0 ? `(${query(random, depth + 1)}) d` : `[my de]${gap()}t`;
  const where =
    random(2) === 0 ? '' : `${gap()}where ${expression()} = 1 and${gap()}(a = 2 or b = 3)`;
  const join = random(2) === 0 ? '' : `${gap()}left${gap()}join u on t.a = u.a and 1 = 1`;
  const tail =
    nested && random(4) === 0 ? `${gap()}union all${gap()}${query(random, depth + 1)}` : '';
  return `select${gap()}${random(3) === 0 ? 'top 5 ' : ''}${items}${gap()}from ${source}${join}${where}${tail}`;
}

describe('whatever is written', () => {
  const texts = Array.from({ length: 1000 }, (_, seed) =>
    (seed % 2 === 0 ? soup : query)(randomOf(seed)),
  );

  test('formatting changes neither what it says nor its own result', () => {
    for (const text of texts) {
      const formatted = formatSql(text);
      expect(said(formatted)).toEqual(said(text));
      expect(formatSql(formatted)).toBe(formatted);
      expect(columnsOf(formatted, NO_CATALOGUE)).toEqual(columnsOf(text, NO_CATALOGUE));
    }
  });

  test('queries are laid out, and understood', () => {
    const queries = texts.filter((_, seed) => seed % 2 === 1);
    expect(queries.every((text) => checkSql(text).verdict === 'accepted')).toBe(true);
    expect(queries.filter((text) => formatSql(text) === text)).toEqual([]);
  });

  test('findings lie within the text', () => {
    for (const text of texts) {
      const lines = text.split(/\r\n|\r|\n/);
      for (const { line, column } of checkSql(text, NO_CATALOGUE).findings) {
        expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? -1) + 1);
      }
      expect(() => tablesOf(text)).not.toThrow();
    }
  });
});
