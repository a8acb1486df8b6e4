import { describe, expect, test } from 'vitest';

import { checkSql } from './check.ts';
import type { FindingCode } from './findings.ts';

function errorsOf(sql: string): string[] {
  return checkSql(sql)
    .findings.filter((finding) => finding.severity === 'error')
    .map((finding) => `${finding.code} ${finding.line}:${finding.column}+${finding.length}`);
}

describe('what Marketing Cloud runs is accepted', () => {
  const accepted = [
    'SELECT SubscriberKey FROM _Subscribers',
    'select s.SubscriberKey, j.EmailName as [Email Name] from _Sent s inner join _Job j on s.JobID = j.JobID',
    "SELECT TOP (5) PERCENT WITH TIES a, b = 5, N'x' AS c FROM [My DE] ORDER BY a",
    'SELECT * FROM _Sent',
    'SELECT s.*, j.EmailName FROM _Sent s JOIN _Job j ON s.JobID = j.JobID',
    'SELECT a FROM t WITH (NOLOCK)',
    'SELECT a FROM t (NOLOCK)',
    'SELECT (t.a) FROM t',
    'SELECT a AS \'quoted\', b "other", c third FROM t',
    'SELECT COUNT(*) AS n FROM t HAVING COUNT(*) > 1',
    'SELECT a FROM t UNION ALL SELECT COUNT(*) FROM u',
    '(SELECT a FROM t) UNION (SELECT a FROM u)',
    'SELECT CASE WHEN a = 1 THEN 2 ELSE 3 END b FROM t',
    "SELECT STRING_AGG(a, ',') WITHIN GROUP (ORDER BY a) AS names FROM t",
    "SELECT d AT TIME ZONE 'UTC' AT TIME ZONE 'Central Standard Time' AS d FROM t",
    'SELECT x.n FROM (SELECT COUNT(*) FROM t) AS x (n)',
    'SELECT v.id FROM (VALUES (1), (2)) AS v (id)',
    'SELECT a FROM t CROSS APPLY (SELECT TOP 1 b FROM u ORDER BY b) x',
    'SELECT a FROM t WHERE b IN (SELECT COUNT(*) FROM u)',
    "SELECT a FROM t WHERE b = 'INSERT INTO @x #y ; LIMIT 5' -- DROP; @z",
    'SELECT [Update], t.Delete, [@a] AS a, "#b" AS b FROM t',
    'SELECT a COLLATE Latin1_General_CS_AS FROM t',
    'SELECT a /* one /* nested */ comment */ FROM t',
    'SELECT a FROM t ORDER BY a OFFSET 0 ROWS',
    'SELECT a FROM t OPTION (MAXDOP 1)',
    'SELECT Go FROM t',
    'SELECT @@VERSION AS v',
    'SELECT t.[End], t.Case AS c FROM t',
    "SELECT a.x FROM a INNER MERGE JOIN b ON a.x = b.x OPTION (MERGE UNION, USE HINT ('DISABLE_TSQL_SCALAR_UDF_INLINING'))",
    'SELECT [CampaignMember:Id], [Customer’s Name], Año, [R&D] AS [P & L] FROM [Sales & Service]',
    'SELECT a AS [Name ], b AS [ Other] FROM t',
    'SELECT x.#Sent AS Sent FROM (SELECT COUNT(*) AS #Sent FROM t) x',
  ];
  test.each(accepted)('%s', (sql) => {
    expect(errorsOf(sql)).toEqual([]);
    expect(checkSql(sql).verdict).toBe('accepted');
  });
});

describe('what it cannot run is refused where it stands', () => {
  const refused: readonly (readonly [FindingCode, string, string])[] = [
    ['empty', '1:1+0', ''],
    ['empty', '1:1+0', ' -- only a comment\n'],
    ['unterminated_string', '2:10+1', "SELECT a\nFROM t = 'abc"],
    ['unterminated_name', '1:15+1', 'SELECT a FROM [My DE'],
    ['unterminated_name', '1:15+1', 'SELECT a FROM "My DE'],
    ['unterminated_comment', '1:10+1', 'SELECT a /* b /* c */ FROM t'],
    ['unbalanced', '1:8+1', 'SELECT (a FROM t'],
    ['unbalanced', '1:9+1', 'SELECT a) FROM t'],
    ['unbalanced', '1:8+4', 'SELECT CASE WHEN a = 1 THEN 2 AS b FROM t'],
    ['not_select', '1:1+6', "UPDATE t SET a = 'b'"],
    ['not_select', '1:1+4', 'EXEC sp_who'],
    ['not_select', '1:1+5', 'hello world'],
    ['leading_with', '1:1+4', 'WITH x AS (SELECT a FROM t) SELECT a FROM x'],
    ['leading_with', '1:2+4', '(WITH x AS (SELECT a FROM t) SELECT a FROM x)'],
    ['unbalanced', '1:1+1', '(('],
    ['leading_with', '1:16+4', 'SELECT a FROM (WITH x AS (SELECT a FROM t) SELECT a FROM x) y'],
    ['several_statements', '1:18+6', 'SELECT a FROM t; SELECT b FROM u'],
    ['several_statements', '2:1+6', 'SELECT a FROM t\nSELECT b FROM u'],
    ['several_statements', '2:1+6', 'SELECT a FROM t ORDER BY a\nSELECT b FROM u'],
    ['several_statements', '2:1+2', 'SELECT a FROM t\nGO'],
    ['several_statements', '2:1+2', 'SELECT a FROM t\r\ngo\r\n'],
    ['into', '1:10+4', 'SELECT a INTO b FROM t'],
    ['into', '1:11+4', '(SELECT a INTO b FROM t)'],
    ['variable', '1:27+4', 'SELECT a FROM t WHERE a = @key'],
    ['temporary_table', '1:15+4', 'SELECT a FROM #tmp'],
    ['temporary_table', '1:15+5', 'SELECT a FROM ##tmp'],
    ['statement_inside', '1:17+6', 'SELECT a FROM t DELETE FROM u'],
    ['statement_inside', '1:17+4', 'SELECT a FROM t EXEC sp_who'],
    ['limit', '1:17+5', 'SELECT a FROM t LIMIT 10'],
    ['stray_character', '1:27+1', 'SELECT a FROM t WHERE b = ‘x'],
    ['stray_character', '1:15+1', 'SELECT a FROM `t'],
    ['forbidden_character', '1:9+1', "SELECT '\u0000' AS a FROM t"],
    ['forbidden_character', '1:9+1', "SELECT '\ud800' AS a FROM t"],
    ['empty_column', '1:11+4', 'SELECT a, FROM t'],
    ['empty_column', '1:1+6', 'SELECT FROM t'],
    ['star_with_join', '1:8+1', 'SELECT * FROM a JOIN b ON a.x = b.x'],
    ['star_with_join', '1:8+1', 'SELECT * FROM a, b'],
    ['unnamed_column', '1:8+8', 'SELECT COUNT(*) FROM t'],
    ['unnamed_column', '1:8+5', 'SELECT a + b FROM t'],
    ['unnamed_column', '1:8+26', 'SELECT CASE WHEN a = 1 THEN 2 END FROM t'],
    ['unnamed_column', '1:8+4', 'SELECT NULL FROM t'],
    ['unnamed_column', '1:25+8', 'SELECT x.a FROM (SELECT MAX(a+b) FROM t) x'],
    ['unnamed_column', '1:13+2', 'SELECT a AS [] FROM t'],
    ['unnamed_column', '1:13+3', 'SELECT a AS [ ] FROM t'],
    ['column_name_duplicate', '1:24+7', 'SELECT a AS Name, b AS [Name ] FROM t'],
    ['column_name_length', '1:13+129', `SELECT a AS ${'b'.repeat(129)} FROM t`],
    ['column_name_underscore', '1:8+13', 'SELECT _SubscriberID FROM Ent._EnterpriseAttribute'],
    ['column_name_duplicate', '1:16+1', 'SELECT a, b AS A FROM t'],
    [
      'column_name_duplicate',
      '1:27+13',
      'SELECT a.SubscriberKey, b.SubscriberKey FROM a JOIN b ON 1 = 1',
    ],
  ];
  test.each(refused)('%s at %s: %s', (code, place, sql) => {
    const { findings, verdict } = checkSql(sql);
    expect(errorsOf(sql)).toContain(`${code} ${place}`);
    expect(verdict).toBe('refused');
    const finding = findings.find((one) => one.code === code);
    expect(finding?.message).toMatch(/[.]$/);
    expect(finding?.message.length).toBeGreaterThan(20);
  });
});

test('a single fault gets a single finding', () => {
  expect(errorsOf('WITH x AS (SELECT a FROM t) SELECT a FROM x')).toHaveLength(1);
  expect(errorsOf('INSERT INTO t (a) SELECT a FROM u')).toHaveLength(1);
  expect(errorsOf('CREATE PROCEDURE p AS BEGIN SELECT @a END')).toEqual(['not_select 1:1+6']);
  expect(errorsOf('DECLARE @d DATE SELECT a FROM t')).toContain('not_select 1:1+7');
  expect(errorsOf('SELECT a FROM t\nGO\nSELECT b FROM u')).toHaveLength(2);
});

test('order without TOP and a semicolon at the end are errors that say what to write', () => {
  for (const [sql, code, instead] of [
    ['SELECT a FROM t ORDER BY a', 'order_without_top', 'SELECT TOP 100'],
    [
      'SELECT a FROM t UNION SELECT TOP 1 a FROM u ORDER BY a',
      'order_without_top',
      'FROM (both queries)',
    ],
    ['SELECT x.a FROM (SELECT a FROM t ORDER BY a) x', 'order_without_top', 'SELECT TOP 100'],
    ['SELECT a FROM t WHERE a IN (SELECT b FROM u ORDER BY b)', 'order_without_top', 'SELECT TOP'],
    ['(SELECT a FROM t ORDER BY a)', 'order_without_top', 'SELECT TOP 100'],
    ['SELECT a FROM t;', 'semicolon', 'Remove the semicolon'],
  ] as const) {
    const check = checkSql(sql);
    expect(check.verdict).toBe('refused');
    expect(check.findings).toEqual([
      expect.objectContaining({
        severity: 'error',
        code,
        message: expect.stringContaining(instead),
      }),
    ]);
  }
  expect(checkSql('SELECT TOP 5 a FROM t ORDER BY a').findings).toEqual([]);
  expect(checkSql('SELECT a FROM t ORDER BY a OFFSET 0 ROWS').findings).toEqual([]);
  const joined =
    "SELECT STUFF((SELECT ',' + a FROM t ORDER BY a FOR XML PATH('')), 1, 1, '') AS names";
  expect(checkSql(joined).findings).toEqual([]);
});

test('what is not understood is unknown, not refused', () => {
  expect(checkSql('SELECT a FROM t WHERE b = ?').verdict).toBe('unknown');
  expect(checkSql('(SELECT a FROM t) x').verdict).toBe('unknown');
});

test('with a catalogue, * is expanded and its names are checked', () => {
  const codes = (sql: string) => checkSql(sql, () => null).findings.map((finding) => finding.code);
  expect(codes('SELECT * FROM _Sent')).toEqual([]);
  expect(codes('SELECT * FROM Unheard_Of')).toEqual(['star_unknown']);
  expect(codes('SELECT * FROM _EnterpriseAttribute')).toEqual(['star_unknown']);
  expect(codes('SELECT s.*, j.JobID FROM _Sent s JOIN _Job j ON s.JobID = j.JobID')).toEqual([
    'column_name_duplicate',
  ]);
  expect(checkSql('SELECT * FROM Unheard_Of').findings).toEqual([]);
  const fields = [{ name: '_Odd', type: 'Text' as const }];
  expect(checkSql('SELECT * FROM t', () => fields).findings.map((finding) => finding.code)).toEqual(
    ['column_name_underscore'],
  );
});

test('lines are counted by LF, CRLF and CR', () => {
  expect(errorsOf('SELECT a\r\nFROM t\rWHERE b\n= @c')).toEqual(['variable 4:3+2']);
});
