import { afterAll, expect, test } from 'vitest';
import { createCloud } from '../cloud.ts';
import type { Unit } from '../data/account.ts';
import { settleField } from '../data/fields.ts';
import { settle } from '../options.ts';
import { START } from '../../test/world.ts';
import { peopleCloud } from '../../test/people.ts';

/** One database for all: nothing here changes it. */
const { cloud, runner, run, rows } = peopleCloud(
  [
    { name: 'First Name' },
    { name: 'City' },
    { name: 'Age', type: 'Number' },
    { name: 'Paid', type: 'Decimal' },
    { name: 'Member', type: 'Boolean' },
    { name: 'Born', type: 'Date' },
  ],
  [
    ['Ada', 'London', '36', '1.10', 'True', '1815-12-10 00:00:00.000'],
    ['ADA', 'london', '20', '2.20', 'False', '2006-01-31 13:45:10.500'],
    ['Grace', 'New York', '36', null, null, '1906-12-09 00:00:00.000'],
    ['Łukasz', null, null, '0.00', 'True', null],
  ],
);
afterAll(() => runner.close());

test('a column that is NULL in every row fits into a text', async () => {
  const unit = cloud.units.get('100001') as Unit;
  const target = [settleField({ name: 'n' }, 0)];
  const { signal } = new AbortController();
  const answer = await runner.run({ unit, sql: 'SELECT NULL AS n FROM People', target, signal });
  expect(answer.rows.map(({ n }) => n)).toEqual([null, null, null, null]);
});

test.each<[sql: string, expected: string[]]>([
  // Case, text and numbers
  ["SELECT COUNT(*) AS n FROM People WHERE [First Name] = 'ada'", ['2']],
  ['SELECT COUNT(DISTINCT [First Name]) AS n FROM People', ['3']],
  [
    'SELECT City AS c, COUNT(*) AS n FROM People WHERE Age < 40 GROUP BY City HAVING COUNT(*) > 1',
    ['London|2'],
  ],
  ["SELECT COUNT(*) AS n FROM People WHERE City IN ('LONDON')", ['2']],
  ["SELECT [First Name] + ' from ' + City AS t FROM People WHERE Age = 20", ['ADA from london']],
  ["SELECT 'x' + City AS t FROM People WHERE City IS NULL", ['NULL']],
  ['SELECT Age + 1 AS a, Paid + 1 AS p, Age - 1 AS m FROM People WHERE Age = 20', ['21|3.20|19']],
  ["SELECT '1' + 2 AS a, 'a' + 'b' AS b", ['3|ab']],
  ['SELECT 5 / 2 AS a, 5.0 / 2 AS b, 10 % 3 AS c, 7 / 2 * 2 AS d, -7 / 2 AS e', ['2|2.5|1|6|-3']],
  [
    'SELECT AVG(Age) AS a, SUM(Age) AS s, MIN(Paid) AS mi, MAX(Paid) AS ma FROM People',
    ['30|92|0.00|2.20'],
  ],
  ['SELECT TOP 1 AVG(Age) OVER (PARTITION BY City) AS a FROM People WHERE Age = 20', ['20']],
  [
    "SELECT CAST(2.7 AS INT) AS a, CAST('7' AS INT) AS b, CAST(1 AS BIT) AS c, CAST('1.239' AS DECIMAL(5, 2)) AS d",
    ['2|7|True|1.24'],
  ],
  [
    "SELECT TRY_CAST('x' AS INT) AS a, TRY_CONVERT(INT, '5') AS b, CAST(NULL AS INT) AS c",
    ['NULL|5|NULL'],
  ],
  [
    "SELECT CAST('abcdef' AS VARCHAR(3)) AS a, CAST(Age AS VARCHAR(10)) AS b, CAST(Member AS VARCHAR) AS c FROM People WHERE Age = 20",
    ['abc|20|0'],
  ],
  ['SELECT COUNT(*) AS n FROM People WHERE Member = 1', ['2']],
  // Aggregates where the type decides
  [
    'SELECT MAX(Age) + MIN(Age) AS a, SUM(Age) - COUNT(*) AS b, MAX(City) + MIN(City) AS c FROM People WHERE City IS NOT NULL',
    ['56|89|New YorkLondon'],
  ],
  [
    "SELECT CAST(COUNT(*) AS VARCHAR(10)) + ' rows' AS a, CONVERT(VARCHAR(10), MAX(Born), 120) AS b, LEN(MAX(City)) AS c, 'n' + CAST(SUM(Age) AS VARCHAR) AS d FROM People",
    ['4 rows|2006-01-31|8|n92'],
  ],
  [
    'SELECT DATEDIFF(YEAR, MIN(Born), MAX(Born)) AS a, DATEADD(DAY, 1, MAX(Born)) AS b, MAX(Born) - 1 AS c, YEAR(MAX(Born)) AS d FROM People',
    ['191|2006-02-01 13:45:10.5|2006-01-30 13:45:10.5|2006'],
  ],
  [
    'SELECT TOP 1 CONVERT(VARCHAR(4), LAG(Born, 1) OVER (ORDER BY Born), 112) AS a, ROW_NUMBER() OVER (ORDER BY Born) + 1 AS b FROM People WHERE Born IS NOT NULL ORDER BY Born DESC',
    ['1906|4'],
  ],
  [
    'SELECT ISNULL(MAX(Age), 0) + 1 AS a, CAST(AVG(Paid) AS DECIMAL(10, 2)) AS b, CAST(MAX(Age) AS FLOAT) / 2 AS c FROM People',
    ['37|1.10|18'],
  ],
  // LIKE
  ["SELECT COUNT(*) AS n FROM People WHERE City LIKE 'LON%'", ['2']],
  ["SELECT COUNT(*) AS n FROM People WHERE City LIKE '[k-m]_ndon'", ['2']],
  ["SELECT COUNT(*) AS n FROM People WHERE City NOT LIKE '[^l]%'", ['2']],
  ["SELECT CASE WHEN '10%' LIKE '10!%' ESCAPE '!' THEN 'yes' ELSE 'no' END AS a", ['yes']],
  ['SELECT COUNT(*) AS n FROM People WHERE City LIKE City', ['3']],
  // Functions of text
  [
    "SELECT LEN('ab  ') AS a, LEFT('abc', 2) AS b, RIGHT('abc', 2) AS c, SUBSTRING('abcdef', 2, 3) AS d, SUBSTRING('abc', 0, 2) AS e",
    ['2|ab|bc|bcd|a'],
  ],
  [
    "SELECT CHARINDEX('C', 'abcabc') AS a, CHARINDEX('c', 'abcabc', 4) AS b, CHARINDEX('x', 'abc') AS c",
    ['3|6|0'],
  ],
  [
    "SELECT REPLACE('aXbx', 'x', '.') AS a, STUFF('abcd', 2, 2, 'X') AS b, REPLICATE('ab', 2) AS c, REVERSE('abc') AS d, UPPER('a') AS e, LOWER('A') AS f",
    ['a.b.|aXd|abab|cba|A|a'],
  ],
  [
    "SELECT LTRIM('  a ') + '.' AS a, RTRIM(' a ') + '.' AS b, TRIM(' a ') + '.' AS c, SPACE(2) + '.' AS d",
    ['a .| a.|a.|  .'],
  ],
  [
    "SELECT CONCAT('a', NULL, 1) AS a, CONCAT_WS('-', 'a', NULL, 'b') AS b, ISNULL(NULL, 'x') AS c, COALESCE(NULL, 'y') AS d, NULLIF('a', 'A') AS e, IIF(1 > 2, 'a', 'b') AS f",
    ['a1|a-b|x|y|NULL|b'],
  ],
  [
    "SELECT LOWER(CONVERT(VARCHAR(64), HASHBYTES('MD5', 'a'), 2)) AS a, LEN(NEWID()) AS b, ISNUMERIC('1.5') AS c, ISNUMERIC('x') AS d",
    ['0cc175b9c0f1b6a831c399e269772661|36|1|0'],
  ],
  [
    "SELECT STRING_AGG(x.c, ',') WITHIN GROUP (ORDER BY x.c) AS a FROM (SELECT DISTINCT City AS c FROM People WHERE Age = 36) x",
    ['London,New York'],
  ],
  ["SELECT 'O''Brien' AS a, N'ü' AS b", ["O'Brien|ü"]],
  // Dates: 20 May 2026, 04:00:00.789 in US Central, a Wednesday
  [
    'SELECT GETDATE() AS a, GETUTCDATE() AS b, CAST(GETDATE() AS DATE) AS c, GETDATE() - 1 AS d',
    ['2026-05-20 04:00:00.789|2026-05-20 10:00:00.789|2026-05-20|2026-05-19 04:00:00.789'],
  ],
  [
    "SELECT CONVERT(VARCHAR(10), GETDATE(), 120) AS a, CONVERT(VARCHAR, GETDATE(), 101) AS b, CONVERT(CHAR(8), GETDATE(), 112) AS c, CONVERT(VARCHAR(20), GETDATE()) AS d, CONVERT(VARCHAR, GETDATE(), 103) AS e, CONVERT(DATE, '5/21/2026') AS f",
    ['2026-05-20|05/20/2026|20260520|May 20 2026  4:00AM|20/05/2026|2026-05-21'],
  ],
  [
    "SELECT DATEADD(DAY, -30, GETDATE()) AS a, DATEADD(mm, 1, '2026-01-31') AS b, DATEADD(hh, 2, '2026-01-31 23:00') AS c",
    ['2026-04-20 04:00:00.789|2026-02-28 00:00:00|2026-02-01 01:00:00'],
  ],
  [
    "SELECT DATEDIFF(DAY, '2026-05-16 23:00', '2026-05-17 01:00') AS a, DATEDIFF(MONTH, '2026-01-31', '2026-02-01') AS b, DATEDIFF(WEEK, '2026-05-16', '2026-05-17') AS c, DATEDIFF(YEAR, '2025-12-31', '2026-01-01') AS d",
    ['1|1|1|1'],
  ],
  [
    'SELECT DATEPART(WEEKDAY, GETDATE()) AS a, DATEPART(dw, GETDATE()) AS b, DATENAME(WEEKDAY, GETDATE()) AS c, DATENAME(MONTH, GETDATE()) AS d, DATEPART(WEEK, GETDATE()) AS e, YEAR(GETDATE()) AS f, MONTH(GETDATE()) AS g, DAY(GETDATE()) AS h',
    ['4|4|Wednesday|May|21|2026|5|20'],
  ],
  [
    "SELECT FORMAT(GETDATE(), 'dd.MM.yyyy HH:mm') AS a, EOMONTH('2026-02-03') AS b, DATEFROMPARTS(2020, 1, 2) AS c, ISDATE('x') AS d",
    ['20.05.2026 04:00|2026-02-28|2020-01-02|0'],
  ],
  [
    "SELECT [First Name] AS n FROM People WHERE Born > '1900-01-01' AND Born < '2000-01-01'",
    ['Grace'],
  ],
  // Rows
  [
    "SELECT City AS c FROM People GROUP BY City HAVING COUNT(*) != '' AND City = 'London'",
    ['London'],
  ],
  ["SELECT SUM(Age) AS n FROM People HAVING SUM(Age) != ''", ['92']],
  ["SELECT Age AS n FROM People WHERE Age > ' 20 ' AND City = 'London'", ['36']],
  ["SELECT COUNT(*) AS n FROM (SELECT '' AS t UNION ALL SELECT '5') x WHERE x.t = 5", ['1']],
  ["SELECT COUNT(*) AS n FROM (SELECT '' AS t UNION ALL SELECT '5') x WHERE x.t < 5", ['1']],
  ["SELECT CONVERT(FLOAT, CONVERT(DATETIME, '1900-01-02 12:00')) AS n", ['1.5']],
  ['SELECT TOP 2 Age FROM People ORDER BY Age', ['NULL', '20']],
  ['SELECT TOP 1 WITH TIES Age AS a FROM People ORDER BY Age DESC', ['36', '36']],
  ['SELECT TOP 50 PERCENT Age FROM People ORDER BY Age DESC', ['36', '36']],
  ['SELECT Age FROM People ORDER BY Age OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY', ['20']],
  [
    "SELECT x.n FROM (SELECT [First Name] AS n, ROW_NUMBER() OVER (PARTITION BY City ORDER BY Age DESC) AS r FROM People WHERE City IS NOT NULL) x WHERE x.r = 1 AND x.n = 'Ada'",
    ['Ada'],
  ],
  [
    'SELECT p.[First Name] AS n, q.Age AS a FROM People p CROSS APPLY (SELECT TOP 1 o.Age FROM People o WHERE o.City = p.City ORDER BY o.Age DESC) q WHERE p.Age = 20',
    ['ADA|36'],
  ],
  [
    'SELECT COUNT(*) AS n FROM People p OUTER APPLY (SELECT TOP 1 o.Age FROM People o WHERE o.City = p.City ORDER BY o.Age) q',
    ['4'],
  ],
  [
    "SELECT City AS c FROM People WHERE Age = 36 UNION SELECT 'LONDON' UNION SELECT NULL EXCEPT SELECT NULL INTERSECT SELECT 'london'",
    ['London', 'New York', 'NULL'],
  ],
  ['SELECT COUNT(*) AS n FROM People (NOLOCK)', ['4']],
  [
    'SELECT COUNT(*) AS n FROM People p WITH (NOLOCK) WHERE EXISTS (SELECT 1 FROM People q WHERE q.Age = p.Age AND q.City <> p.City)',
    ['2'],
  ],
  ['SELECT Years = Age FROM People WHERE Age = 20', ['20']],
  [
    "SELECT CASE WHEN Age > 30 THEN 'a' ELSE 'b' END AS k, COUNT(*) AS n FROM People GROUP BY CASE WHEN Age > 30 THEN 'a' ELSE 'b' END HAVING COUNT(*) > 0 AND MAX(Age) > 30",
    ['a|2'],
  ],
  ['SELECT /* a comment */ Age AS a -- another\nFROM People WHERE Age = 20', ['20']],
])('%s', async (sql, expected) => {
  const found = await rows(sql);
  const isOrdered = /ORDER BY/.test(sql);
  expect(isOrdered ? found : found.toSorted()).toEqual(isOrdered ? expected : expected.toSorted());
});

test.each<[sql: string, message: string]>([
  ['DELETE FROM People', 'Only SELECT queries are valid'],
  ['WITH x AS (SELECT 1 AS a) SELECT a FROM x', 'Only SELECT queries are valid'],
  ['SELECT Age INTO Other FROM People', 'Only SELECT queries are valid'],
  ['SELECT 1 AS a; SELECT 2 AS b', 'Only SELECT queries are valid'],
  ['EXEC something', 'Only SELECT queries are valid'],
  ['SELECT @x AS a', 'Must declare the scalar variable "@x".'],
  ['SELECT Age FROM #People', '#People is not a known data extension or system data view.'],
  ['SELECT Age FROM Nowhere', 'Nowhere is not a known data extension or system data view.'],
  ['SELECT Age FROM dbo.People', 'dbo.People is not a known data extension'],
  ["SELECT value AS v FROM STRING_SPLIT('a,b', ',')", 'STRING_SPLIT is not a known data extension'],
  ['SELECT Nope FROM People', "Invalid column name 'Nope'."],
  ['SELECT p.Nope AS n FROM People p', "Invalid column name 'Nope'."],
  ['SELECT q.Age AS n FROM People p', 'The multi-part identifier "q" could not be bound.'],
  ['SELECT Age AS a FROM People p JOIN People q ON p.Age = q.Age', "Ambiguous column name 'Age'."],
  [
    'SELECT Age, COUNT(*) AS n FROM People GROUP BY City',
    "Column 'Age' is invalid in the select list",
  ],
  ['SELECT Age AS a FROM People WHERE a = 20', "Invalid column name 'a'."],
  ['SELECT City AS c, COUNT(*) AS n FROM People GROUP BY c', "Invalid column name 'c'."],
  ['SELECT COUNT(*) FROM People', "No column name was specified for column 1 of 'querydef'."],
  [
    'SELECT x.a FROM (SELECT Age AS a FROM People ORDER BY Age) x',
    'The ORDER BY clause is invalid',
  ],
  ['SELECT Age FROM People ORDER BY Age', 'The ORDER BY clause is invalid'],
  [
    'SELECT TOP 1 Age FROM People UNION SELECT Age FROM People ORDER BY Age',
    'The ORDER BY clause is invalid',
  ],
  ['SELECT Age FROM People; -- all', "Incorrect syntax near ';'."],
  [
    'SELECT * FROM People p JOIN People q ON p.Age = q.Age',
    'SELECT * is not valid in a query with a JOIN',
  ],
  ['SELECT Age FROM People LIMIT 5', "Incorrect syntax near 'LIMIT'."],
  ['SELECT Age FRM People', 'Incorrect syntax.'],
  [
    'SELECT Age AS a FROM People UNION SELECT Age, City FROM People',
    'must have an equal number of expressions',
  ],
  ['SELECT 1 / 0 AS a', 'Divide by zero error encountered.'],
  [
    "SELECT CAST('abc' AS INT) AS a",
    "Conversion failed when converting the varchar value 'abc' to data type int.",
  ],
  [
    "SELECT CAST('2.7' AS INT) AS a",
    "Conversion failed when converting the varchar value '2.7' to data type int.",
  ],
  [
    "SELECT Age + ' years' AS a FROM People",
    "Conversion failed when converting the varchar value ' years'",
  ],
  [
    "SELECT CAST('yesterday' AS DATETIME) AS a",
    'Conversion failed when converting date and/or time',
  ],
  [
    "SELECT LEFT('abc', -1) AS a",
    'Invalid length parameter passed to the LEFT or SUBSTRING function.',
  ],
  [
    "SELECT read_csv('/etc/passwd') AS a",
    'The function READ_CSV is not something that this simulator can run.',
  ],
  [
    'SELECT p.* FROM (SELECT City, Age FROM People) s PIVOT (COUNT(Age) FOR City IN ([a])) p',
    'is not',
  ],
])('refused: %s', async (sql, message) => {
  await expect(run(sql)).rejects.toMatchObject({
    name: 'QueryError',
    message: expect.stringContaining(message),
  });
});

test('data views have rows of the last six months, each business unit its own, Ent. the parent’s', async () => {
  const count = (view: string, mid?: string) =>
    rows(`SELECT COUNT(*) AS n FROM ${view}`, mid).then(([n]) => Number(n));
  for (const view of [
    '_Sent',
    '_Open',
    '_Click',
    '_Bounce',
    '_Job',
    '_Unsubscribe',
    '_ListSubscribers',
    '_Journey',
    '_JourneyActivity',
  ]) {
    expect(await count(view), view).toBeGreaterThan(0);
  }
  expect(await count('_Subscribers')).toBe(400);
  expect(await count('_Subscribers', '100002')).toBe(200);
  expect(await count('Ent._Subscribers', '100002')).toBe(400);
  const ofJobs = await rows('SELECT DISTINCT AccountID FROM _Sent', '100002');
  expect(ofJobs).toEqual(['100002']);
  const [spread] = await rows(
    'SELECT DATEDIFF(DAY, MIN(EventDate), GETDATE()) AS a, DATEDIFF(DAY, MAX(EventDate), GETDATE()) AS b FROM _Sent',
  );
  expect(spread).toBe('180|6');
  const opens = await rows(
    'SELECT COUNT(*) AS n FROM _Open o WHERE NOT EXISTS (SELECT 1 FROM _Sent s WHERE s.JobID = o.JobID AND s.SubscriberKey = o.SubscriberKey)',
  );
  expect(opens).toEqual(['0']);
});

test('some sends are of a journey, and the first open of a send is the unique one', async () => {
  const sends = await rows(
    `SELECT DISTINCT j.JourneyName, ja.ActivityName FROM _Sent s
     JOIN _JourneyActivity ja ON ja.JourneyActivityObjectID = s.TriggererSendDefinitionObjectID
     JOIN _Journey j ON j.VersionID = ja.VersionID`,
    '100002',
  );
  expect(sends.length).toBeGreaterThan(0);
  expect(sends.every((row) => /^Welcome\|Email [123]$/.test(row))).toBe(true);
  const opens = await rows(
    `SELECT JobID, SubscriberID, SUM(CASE WHEN IsUnique = 1 THEN 1 ELSE 0 END) AS u, COUNT(*) AS n FROM _Open
     GROUP BY JobID, SubscriberID`,
  );
  expect(new Set(opens.map((row) => row.split('|')[2]))).toEqual(new Set(['1']));
  expect(opens.some((row) => row.endsWith('|2'))).toBe(true);
});

test.each([
  "SELECT Age FROM People WHERE City = 'London' /* (1 row) */",
  "SELECT Age /* years */ FROM People -- all\nWHERE City <> 'New York' AND Age = 36 /* a /* b */ c */",
  "/* first */ SELECT /* second */ Age -- third\nFROM People /* 4 */ WHERE ( /* 5 */ City = 'london' /* 6 */ ) AND Age > 20",
])('comments are nowhere in the way: %s', async (sql) => {
  expect(await rows(sql)).toContain('36');
});

test.each([
  "SELECT p.Age FROM People p WHERE EXISTS (SELECT 1 AS x FROM People q WHERE q.Age = p.Age AND p.City = 'London')",
  "SELECT p.Age FROM People p WHERE EXISTS (SELECT 1 AS x FROM People q WHERE p.Age > 30 AND p.City = 'London')",
  "SELECT p.Age FROM People p WHERE EXISTS (SELECT 1 AS x FROM People q WHERE p.Born >= '1815-01-01' AND p.City <> '' AND p.Age = 36 AND DATEADD(DAY, 1, p.Born) < q.Born)",
  'SELECT p.Age, x.City FROM People p CROSS APPLY (SELECT TOP 1 q.City FROM People q WHERE p.Age = 36 ORDER BY q.Age) x',
])('a query inside compares columns of the one around it: %s', async (sql) => {
  expect((await rows(sql)).join()).toContain('36');
});

test.each([
  "SELECT Age FROM People WHERE Agee = 'x'",
  'SELECT Age FROM People WHERE People.Agee > 5',
  "SELECT Age FROM People WHERE Agee LIKE 'x%'",
  'SELECT Age + Agee AS a, LEN(Agee) AS b FROM People',
  'SELECT p.Age FROM People p WHERE EXISTS (SELECT 1 AS x FROM People q WHERE p.Agee = 3)',
])('a column that is not there is named, and no types: %s', async (sql) => {
  await expect(rows(sql)).rejects.toThrow("Invalid column name 'Agee'.");
});

test('what looks like a comment in a text or a name is none', async () => {
  const [row] = await rows(
    `SELECT '-- a /* b */' AS [c -- d], "First Name" AS e FROM People WHERE Age = 20`,
  );
  expect(row).toBe('-- a /* b */|ADA');
});

test('the same seed gives the same rows', async () => {
  const look = async (seed: number) => {
    const other = createCloud(
      settle({ now: () => START, sampleSize: 0.005, seed, installDuckdb: true }),
    );
    const unit = other.units.get('100001') as Unit;
    const sql = 'SELECT COUNT(*) AS n, MAX(EventDate) AS m FROM _Open';
    const { rows: found } = await other.runner.run({
      unit,
      sql,
      target: [],
      signal: new AbortController().signal,
    });
    await other.runner.close();
    return found;
  };
  expect(await look(7)).toEqual(await look(7));
  expect(await look(7)).not.toEqual(await look(8));
});

test('names of data extensions and fields may be odd', async () => {
  const unit = cloud.units.get('100001') as Unit;
  const customers = [...unit.dataExtensions.values()].find(({ name }) => name === 'Customers');
  const odd = { name: 'My "odd" DE', objectId: 'odd', customerKey: 'odd' };
  if (customers !== undefined) unit.dataExtensions.set('odd', { ...customers, ...odd });
  expect(await rows('SELECT COUNT(*) AS n FROM [My "odd" DE]')).toEqual(['1000']);
});
