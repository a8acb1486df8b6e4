import { afterAll, expect, test } from 'vitest';
import { peopleCloud } from '../../test/people.ts';

/** T-SQL that users of Marketing Cloud write and DuckDB has no words for, construct by construct. */
const { runner, rows } = peopleCloud(
  [
    { name: 'Name' },
    { name: 'City' },
    { name: 'Age', type: 'Number' },
    { name: 'Paid', type: 'Decimal' },
    { name: 'Born', type: 'Date' },
    { name: 'Tags' },
  ],
  [
    ['Ada', 'London', '36', '1234.50', '1985-12-10 00:00:00.000', 'red,blue'],
    ['Bob', 'Paris', '20', '2.25', '2006-01-31 13:45:10.500', 'green'],
    ['Cy', 'paris', '51', null, null, null],
  ],
);
afterAll(() => runner.close());

const names = (sql: string): string => `SELECT STRING_AGG(x.n, ' ') AS a FROM (${sql}) x`;

test.each<[construct: string, sql: string, expected: string[]]>([
  ['a column in brackets has its name', 'SELECT TOP 1 (Name), ((Age)) FROM People', ['Ada|36']],
  [
    'all columns of one table of a join',
    "SELECT p.* FROM People p JOIN People q ON q.Name = p.Name WHERE p.Name = 'Bob'",
    ['Bob|Paris|20|2.25|2006-01-31 13:45:10.5|green'],
  ],
  [
    'functions of a column of the query around',
    "SELECT o.Name AS a, (SELECT MAX(o.City + i.Name) FROM People i WHERE i.Name = o.Name) AS b, (SELECT MAX(LEN(o.City) + i.Age) FROM People i WHERE i.Name = o.Name) AS c, (SELECT MAX(DATEADD(day, 1, Born)) FROM People i WHERE YEAR(o.Born) = 2006 AND i.City LIKE LEFT(o.City, 2) + '%') AS d FROM People o WHERE EXISTS (SELECT 1 FROM People i WHERE i.Name + '!' = o.Name + '!') ORDER BY o.Name OFFSET 1 ROWS",
    ['Bob|ParisBob|25|2006-02-01 13:45:10.5', 'Cy|parisCy|56|NULL'],
  ],
  [
    'functions of columns of a table that a query is applied to',
    "SELECT o.Name AS a, x.b FROM People o CROSS APPLY (SELECT TOP 1 o.City + '-' + i.Name AS b, o.Age + 1 AS c FROM People i WHERE i.Age + 1 > o.Age ORDER BY i.Name) x WHERE o.Name = 'Bob'",
    ['Bob|Paris-Ada'],
  ],
  [
    'AT TIME ZONE from one zone to another, with its summer time',
    "SELECT GETDATE() AT TIME ZONE 'Central America Standard Time' AT TIME ZONE 'W. Europe Standard Time' AS a",
    ['2026-05-20 12:00:00.789'],
  ],
  [
    'AT TIME ZONE alone only says of which zone a date is',
    "SELECT GETDATE() AT TIME ZONE 'central standard time' AS a",
    ['2026-05-20 04:00:00.789'],
  ],
  [
    'SYSDATETIMEOFFSET knows its zone',
    "SELECT SYSDATETIMEOFFSET() AT TIME ZONE 'UTC' AS a",
    ['2026-05-20 10:00:00.789'],
  ],
  [
    'CONVERT reads a date in the form that its style says',
    "SELECT CONVERT(datetime, '01/02/2025', 103) AS a, CONVERT(date, '1.2.2025 10:30', 104) AS b, CONVERT(date, '20250201', 112) AS c, CONVERT(date, '01/02/2025', 101) AS d",
    ['2025-02-01 00:00:00|2025-02-01|2025-02-01|2025-01-02'],
  ],
  [
    'TRY_CONVERT gives NULL where the style does not fit',
    "SELECT TRY_CONVERT(date, '02/31/2025', 101) AS a, TRY_CONVERT(date, '12/31/2025', 103) AS b",
    ['NULL|NULL'],
  ],
  [
    'CONVERT writes a date by its style',
    "SELECT CONVERT(varchar, Born, 1) AS a, CONVERT(varchar, Born, 2) AS b, CONVERT(varchar, Born, 102) AS c, CONVERT(varchar, Born, 113) AS d, CONVERT(varchar, Born, 114) AS e, CONVERT(varchar, Born, 127) AS f FROM People WHERE Name = 'Bob'",
    ['01/31/06|06.01.31|2006.01.31|31 Jan 2006 13:45:10:500|13:45:10:500|2006-01-31T13:45:10.500'],
  ],
  [
    'CONVERT writes bytes with 0x and without',
    "SELECT CONVERT(varchar(34), HASHBYTES('MD5', 'a'), 1) AS a, CONVERT(varchar(32), HASHBYTES('MD5', 'a'), 2) AS b",
    ['0x0CC175B9C0F1B6A831C399E269772661|0CC175B9C0F1B6A831C399E269772661'],
  ],
  [
    'a number in place of a date is days since 1900',
    'SELECT DATEADD(month, DATEDIFF(month, 0, GETDATE()), 0) AS a, DATEADD(wk, DATEDIFF(wk, 0, GETDATE()), 0) AS b',
    ['2026-05-01 00:00:00|2026-05-18 00:00:00'],
  ],
  [
    'times of a day',
    names(
      "SELECT Name AS n FROM People WHERE CAST(Born AS time) > '09:00' AND DATEPART(hour, CONVERT(time, Born)) = 13",
    ),
    ['Bob'],
  ],
  [
    'the week of ISO, and parts that make a moment',
    'SELECT DATEPART(iso_week, GETDATE()) AS a, DATETIMEFROMPARTS(2026, 1, 2, 3, 4, 5, 6) AS b',
    ['21|2026-01-02 03:04:05.006'],
  ],
  [
    'FORMAT of numbers by a letter',
    "SELECT FORMAT(1234.5, 'N2') AS a, FORMAT(-1234.5, 'C') AS b, FORMAT(0.256, 'P1') AS c, FORMAT(42, 'D5') AS d, FORMAT(2.5, 'F3') AS e",
    ['1,234.50|($1,234.50)|25.6 %|00042|2.500'],
  ],
  [
    'FORMAT of numbers by a picture',
    "SELECT FORMAT(1234.5, '#,##0.00') AS a, FORMAT(5, '000') AS b, FORMAT(0.5, '#.##') AS c, FORMAT(0.1234, '0.0%') AS d, FORMAT(48520935815, '(##) ### ### ###') AS e",
    ['1,234.50|005|.5|12.3%|(48) 520 935 815'],
  ],
  [
    'FORMAT of dates by a letter, and of aggregates',
    "SELECT FORMAT(MAX(Born), 'd') AS a, FORMAT(MAX(Born), 'D', 'en-US') AS b, FORMAT(SUM(Paid), 'N1') AS c, FORMAT(MAX(Born), 'HH:mm:ss.fff') AS d FROM People",
    ['1/31/2006|Tuesday, January 31, 2006|1,236.8|13:45:10.500'],
  ],
  [
    'PATINDEX',
    "SELECT PATINDEX('%[0-9]%', 'abc5') AS a, PATINDEX('b%', 'abc') AS b, PATINDEX('%C', 'abc') AS c, PATINDEX('%x%', 'abc') AS d",
    ['4|0|3|0'],
  ],
  [
    "STUFF with FOR XML PATH('') joins rows in their order",
    "SELECT DISTINCT City, STUFF((SELECT ', ' + q.Name FROM People q WHERE q.City = p.City ORDER BY q.Age DESC FOR XML PATH('')), 1, 2, '') AS a FROM People p WHERE City = 'Paris' AND Name = 'Bob'",
    ['Paris|Cy, Bob'],
  ],
  [
    'FOR XML writes &amp;, and with TYPE and .value not',
    "SELECT (SELECT '&' + Name FROM People WHERE Age > 40 FOR XML PATH('')) AS a, (SELECT '&' + Name FROM People WHERE Age > 40 FOR XML PATH(''), TYPE).value('.', 'nvarchar(max)') AS b",
    ['&amp;Cy|&Cy'],
  ],
  [
    'CROSS APPLY of VALUES',
    "SELECT x.v AS a FROM People p CROSS APPLY (VALUES (p.City), (p.Name)) AS x(v) WHERE p.Name = 'Ada'",
    ['London', 'Ada'],
  ],
  ['NOLOCK behind the name of a table', 'SELECT TOP 1 p.Name FROM People AS p (NOLOCK)', ['Ada']],
  [
    'ROLLUP, in both spellings',
    'SELECT a.City, a.n AS a, b.n AS b FROM (SELECT City, COUNT(*) AS n FROM People GROUP BY ROLLUP(City)) a JOIN (SELECT City, COUNT(*) AS n FROM People GROUP BY City WITH ROLLUP) b ON a.City IS NULL AND b.City IS NULL',
    ['NULL|3|3'],
  ],
  [
    'GROUPING SETS and GROUPING',
    'SELECT TOP 1 GROUPING(City) AS g, COUNT(*) AS n FROM People GROUP BY GROUPING SETS ((City), ()) ORDER BY g DESC',
    ['1|3'],
  ],
  [
    'the first of each group by TOP 1 WITH TIES',
    names(
      'SELECT TOP 1 WITH TIES Name AS n FROM People ORDER BY ROW_NUMBER() OVER (PARTITION BY City ORDER BY Age DESC)',
    ),
    ['Ada Cy'],
  ],
  [
    'ALL and ANY',
    'SELECT Name FROM People WHERE Age >= ALL (SELECT Age FROM People) AND Age = ANY (SELECT Age FROM People)',
    ['Cy'],
  ],
  [
    'uniqueidentifier, and money',
    "SELECT CAST('6f9619ff-8b86-d011-b42d-00c04fc964ff' AS uniqueidentifier) AS a, TRY_CONVERT(uniqueidentifier, 'x') AS b, CAST(1.5 AS money) AS c",
    ['6F9619FF-8B86-D011-B42D-00C04FC964FF|NULL|1.5000'],
  ],
  [
    'texts',
    "SELECT TRIM('x' FROM 'xax') AS a, QUOTENAME('a]') AS b, TRANSLATE('abc', 'ab', 'xy') AS c, UNICODE('A') AS d, CHOOSE(2, 'a', 'b') AS e, JSON_VALUE('{\"a\":{\"b\":5}}', '$.a.b') AS f, ISJSON('{') AS g",
    ['a|[a]]]|xyc|65|b|5|0'],
  ],
  [
    'numbers',
    'SELECT LOG10(100) AS a, SQUARE(3) AS b, COUNT_BIG(*) AS c, DATEDIFF_BIG(second, 0, 1) AS d FROM People',
    ['2|9|3|86400'],
  ],
  [
    'a collation without regard to case, which is the usual one',
    "SELECT Name FROM People WHERE Name COLLATE Latin1_General_CI_AS = 'ada'",
    ['Ada'],
  ],
])('%s', async (_, sql, expected) => {
  expect((await rows(sql)).toSorted()).toEqual(expected.toSorted());
});

test('random order and numbers run', async () => {
  const [row = ''] = await rows('SELECT ABS(CHECKSUM(NEWID())) % 10 AS a, RAND() AS b');
  expect(row).toMatch(/^\d\|0\.\d+/);
});

test.each<[sql: string, message: string]>([
  ["SELECT GETDATE() AT TIME ZONE 'Mars' AS a", "The time zone parameter 'Mars'"],
  ["SELECT CONVERT(date, '12/31/2025', 103) AS a", 'Conversion failed when converting date'],
  ["SELECT CAST('x' AS uniqueidentifier) AS a", 'to uniqueidentifier'],
  ["SELECT FORMAT(1.5, 'N2', 'de-DE') AS a", 'FORMAT with that culture'],
  ["SELECT FORMAT(GETDATE(), 'd MMMM', 'fr-FR') AS a", 'FORMAT with that culture'],
  ['SELECT Name COLLATE Latin1_General_CS_AS AS a FROM People', 'The collation'],
  ["SELECT (SELECT Name FROM People FOR XML PATH('')) AS a", 'writes tags'],
  ["SELECT (SELECT Name + '' FROM People FOR XML PATH('p')) AS a", 'FOR XML other than PATH'],
  ['SELECT * FROM People p JOIN People q ON p.Name = q.Name', 'SELECT * is not valid'],
])('%s is refused', async (sql, message) => {
  await expect(rows(sql)).rejects.toThrow(message);
});
