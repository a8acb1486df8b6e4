import type { Field } from '@millrace/marketing-cloud';
import { describe, expect, test } from 'vitest';

import { type Catalogue, type OutputColumn, allText, columnsOf, tablesOf } from './columns.ts';

const CUSTOMERS: readonly Field[] = [
  { name: 'CustomerID', type: 'Number', isPrimaryKey: true, isRequired: true },
  { name: 'FirstName', type: 'Text', maxLength: 50 },
  { name: 'Email', type: 'EmailAddress' },
  { name: 'Balance', type: 'Decimal', maxLength: 12, scale: 2 },
  { name: 'Joined', type: 'Date' },
  { name: 'IsActive', type: 'Boolean' },
  { name: 'Notes', type: 'Text', maxLength: null },
];
const catalogue: Catalogue = (table) =>
  table.name.toLowerCase() === 'my customers' ? CUSTOMERS : null;

/** `Name:Type(length,scale)` */
function shown(columns: readonly OutputColumn[] | null): string[] | null {
  return (
    columns?.map(({ name, type, maxLength, scale }) => {
      const size = [maxLength, scale].filter((part) => part !== undefined).map(String);
      return `${name}:${type}${size.length > 0 ? `(${size.join()})` : ''}`;
    }) ?? null
  );
}

/** Of one expression over the customers. */
function typeOf(expression: string): string | undefined {
  return shown(columnsOf(`SELECT ${expression} AS x FROM [My Customers] c`, catalogue))?.[0]?.slice(
    2,
  );
}

describe('the type of an expression', () => {
  test.each([
    ['c.CustomerID', 'Number'],
    ['FirstName', 'Text(50)'],
    ['Email', 'EmailAddress'],
    ['Balance', 'Decimal(12,2)'],
    ['c.Joined', 'Date'],
    ['c.[IsActive]', 'Boolean'],
    ['Notes', 'Text(null)'],
    ['Unheard', 'Text(4000)'],
    ['other.FirstName', 'Text(4000)'],
    ["'abc'", 'Text(3)'],
    ["N'it''s'", 'Text(4)'],
    ["''", 'Text(1)'],
    ['12', 'Number'],
    ['-1', 'Number'],
    ['3000000000', 'Decimal(19,0)'],
    ['1.25', 'Decimal(18,2)'],
    ['1e3', 'Decimal(18,8)'],
    ['0xFF', 'Text(4000)'],
    ['NULL', 'Text(4000)'],
    ['CAST(FirstName AS INT)', 'Number'],
    ['CAST(c.FirstName + c.Notes AS DECIMAL(10, 3))', 'Decimal(10,3)'],
    ['CAST(CustomerID AS VARCHAR)', 'Text(30)'],
    ['CONVERT(NVARCHAR(20), Joined, 120)', 'Text(20)'],
    ['TRY_CONVERT(DATE, FirstName)', 'Date'],
    ['CAST(FirstName AS NVARCHAR(MAX))', 'Text(null)'],
    ['CONVERT(BIT, 1)', 'Boolean'],
    ['CAST(1 AS BIGINT)', 'Decimal(19,0)'],
    ['CAST(1 AS MONEY)', 'Decimal(19,4)'],
    ['CAST(1 AS GEOGRAPHY)', 'Text(4000)'],
    ['COUNT(*)', 'Number'],
    ['COUNT(DISTINCT Email)', 'Number'],
    ['SUM(Balance)', 'Decimal(18,2)'],
    ['SUM(CustomerID)', 'Number'],
    ['AVG(Unheard)', 'Text(4000)'],
    ['MAX(Joined)', 'Date'],
    ['MIN(FirstName)', 'Text(50)'],
    ['ROW_NUMBER() OVER (PARTITION BY Email ORDER BY Joined DESC)', 'Number'],
    ['MAX(Joined) OVER (PARTITION BY Email)', 'Date'],
    ['GETDATE()', 'Date'],
    ['CURRENT_TIMESTAMP', 'Date'],
    ["DATEADD(day, -1, '2024-01-01')", 'Date'],
    ['DATEDIFF(day, Joined, GETDATE())', 'Number'],
    ["FORMAT(Joined, 'yyyy')", 'Text(4000)'],
    ["Joined AT TIME ZONE 'UTC' AT TIME ZONE 'Central Standard Time'", 'Date'],
    ['NEWID()', 'Text(36)'],
    ['UPPER(FirstName)', 'Text(50)'],
    ['LOWER(Email)', 'Text(254)'],
    ["ISNULL(FirstName, 'there')", 'Text(50)'],
    ["COALESCE(FirstName, Email, 'x')", 'Text(254)'],
    ['COALESCE(NULL, Balance, 0)', 'Decimal(12,2)'],
    ['NULLIF(CustomerID, 0)', 'Number'],
    ["IIF(IsActive = 1, 'yes', 'no')", 'Text(3)'],
    ["CASE WHEN IsActive = 1 THEN 'active' WHEN 1 = 2 THEN 'no' END", 'Text(6)'],
    ['CASE WHEN IsActive = 1 THEN Joined ELSE NULL END', 'Date'],
    ['CASE WHEN IsActive = 1 THEN 1 ELSE 2.5 END', 'Decimal(18,1)'],
    ["CASE CustomerID WHEN 1 THEN CASE WHEN 1 = 1 THEN 'abcd' END ELSE 'e' END", 'Text(4)'],
    ['CASE WHEN 1 = 1 THEN Unheard ELSE 0 END', 'Text(4000)'],
    ["FirstName + ' ' + Email", 'Text(305)'],
    ["'Dear ' + Unheard", 'Text(4000)'],
    ['Notes + FirstName', 'Text(null)'],
    ['CustomerID + 1', 'Number'],
    ['CustomerID / 2', 'Number'],
    ['CustomerID * 1.0 / 3', 'Decimal(18,8)'],
    ['Balance + Balance', 'Decimal(18,2)'],
    ['Joined - 1', 'Date'],
    ['Unheard * 2', 'Text(4000)'],
    ['(((CustomerID)))', 'Number'],
    ['FirstName COLLATE Latin1_General_CS_AS', 'Text(50)'],
    ['(SELECT MAX(EventDate) FROM _Sent s WHERE s.SubscriberKey = c.Email)', 'Date'],
    ['(SELECT TOP 1 c.Balance FROM _Sent s)', 'Decimal(12,2)'],
    ['(SELECT c.FirstName FROM _Sent c)', 'Text(4000)'],
    ['dbo.SomeFunction(1)', 'Text(4000)'],
  ])('%s is %s', (expression, type) => {
    expect(typeOf(expression)).toBe(type);
  });
});

describe('the columns of a query', () => {
  test.each<readonly [string, string[] | null]>([
    [
      'SELECT b = 1, 2 AS [c d], FirstName FROM [My Customers]',
      ['b:Number', 'c d:Number', 'FirstName:Text(50)'],
    ],
    ['SELECT DISTINCT TOP (3) WITH TIES Joined d FROM [My Customers]', ['d:Date']],
    [
      'SELECT c.*, 1 AS one FROM [My Customers] c',
      [...(shown(columnsOf('SELECT * FROM [My Customers]', catalogue)) ?? []), 'one:Number'],
    ],
    [
      'SELECT x.k, x.n FROM (SELECT Email AS k, COUNT(*) AS n FROM [My Customers] GROUP BY Email) x',
      ['k:EmailAddress', 'n:Number'],
    ],
    [
      'SELECT * FROM (SELECT Joined, IsActive FROM [My Customers]) AS x (a, b)',
      ['a:Date', 'b:Boolean'],
    ],
    [
      'SELECT FirstName AS a FROM [My Customers] UNION ALL SELECT Email FROM [My Customers]',
      ['a:Text(254)'],
    ],
    ['SELECT CustomerID AS a FROM [My Customers] UNION SELECT Unheard FROM t', ['a:Text(4000)']],
    ['SELECT 1 AS a UNION ALL SELECT 2.5', ['a:Decimal(18,1)']],
    ['(SELECT 1 AS a) EXCEPT (SELECT 2)', ['a:Number']],
    [
      'SELECT s.EventDate, o.IsUnique FROM _Sent s LEFT JOIN Ent._Open AS o ON s.JobID = o.JobID',
      ['EventDate:Date', 'IsUnique:Boolean'],
    ],
    [
      'SELECT a.d FROM [My Customers] c CROSS APPLY (SELECT TOP 1 c.Joined AS d FROM _Sent) a',
      ['d:Date'],
    ],
    [
      'SELECT JobID, FirstName FROM (_Sent s JOIN [My Customers] c ON 1 = 1)',
      ['JobID:Number', 'FirstName:Text(50)'],
    ],
    [
      'SELECT x.d FROM ((SELECT Joined AS d FROM [My Customers]) x JOIN _Sent s ON 1 = 1)',
      ['d:Date'],
    ],
    [
      'SELECT u.d FROM ((SELECT Joined AS d FROM [My Customers]) UNION (SELECT EventDate FROM _Sent)) u',
      ['d:Date'],
    ],
    [
      "SELECT STRING_AGG(Email, ',') WITHIN GROUP (ORDER BY Email) AS names, 1 AS n FROM [My Customers]",
      ['names:Text(4000)', 'n:Number'],
    ],
    ['SELECT v.id FROM (VALUES (1)) AS v (id)', ['id:Text(4000)']],
    ["SELECT value FROM STRING_SPLIT('a,b', ',')", ['value:Text(4000)']],
    ['SELECT * FROM Unheard', null],
    ['SELECT * FROM _Sent PIVOT (COUNT(JobID) FOR ListID IN ([1], [2])) p', null],
    ['SELECT z.* FROM _Sent s', null],
    ['SELECT COUNT(*) FROM _Sent', null],
    ['SELECT * FROM _EnterpriseAttribute', null],
    ['UPDATE t SET a = 1', null],
    ['', null],
  ])('%s', (sql, columns) => {
    expect(shown(columnsOf(sql, catalogue))).toEqual(columns);
  });

  test('have neither keys nor required fields', () => {
    const [column] = columnsOf('SELECT CustomerID FROM [My Customers]', catalogue) ?? [];
    expect(column).toEqual({ name: 'CustomerID', type: 'Number' });
  });

  test('can be text all of them', () => {
    const columns = columnsOf('SELECT CustomerID, FirstName FROM [My Customers]', catalogue) ?? [];
    expect(shown(allText(columns))).toEqual(['CustomerID:Text(null)', 'FirstName:Text(null)']);
  });

  test('of a view that the catalogue knows better are those of the catalogue', () => {
    const fields: Field[] = [{ name: 'Colour', type: 'Text', maxLength: 7 }];
    expect(shown(columnsOf('SELECT * FROM Ent._EnterpriseAttribute', () => fields))).toEqual([
      'Colour:Text(7)',
    ]);
  });
});

test('tables are found wherever they stand, each once', () => {
  const sql = `
    SELECT a, (SELECT MAX(x) FROM Scalar) AS m
    FROM [My DE] d INNER JOIN ENT.[Shared DE] s ON s.k = d.k, Third WITH (NOLOCK)
    LEFT JOIN (SELECT * FROM "Quoted" UNION SELECT * FROM [my de]) q ON 1 = 1
    WHERE EXISTS (SELECT 1 FROM _Open) AND a IN (SELECT b FROM Ent._Subscribers)
      -- FROM NotThis
      AND c <> 'FROM NorThis'`;
  expect(
    tablesOf(sql)
      .map((table) => `${table.isEnterprise ? 'Ent.' : ''}${table.name}`)
      .toSorted(),
  ).toEqual(['Ent.Shared DE', 'Ent._Subscribers', 'Quoted', 'Scalar', 'Third', '_Open', 'my de']);
});

test('a name has the characters that it has, without spaces at its ends', () => {
  const names = columnsOf('SELECT [CampaignMember:Id], Año, b AS [Name ] FROM t', () => null);
  expect(names?.map(({ name }) => name)).toEqual(['CampaignMember:Id', 'Año', 'Name']);
});
