import { describe, expect, test } from 'vitest';
import { bracketed, wantedAt } from './completion.ts';

/** `|` is the cursor. */
function at(text: string) {
  const place = text.indexOf('|');
  return wantedAt(text.replace('|', ''), place);
}

describe('what is offered', () => {
  test.each([
    ['SELECT s.| FROM _Sent s', '_Sent'],
    ['SELECT s.Sub| FROM _Sent AS s WHERE 1 = 1', '_Sent'],
    ['SELECT _Sent.| FROM _Sent', '_Sent'],
    ['SELECT [My DE].| FROM [My DE]', 'My DE'],
    ['SELECT [My DE].[First| FROM [My DE]', 'My DE'],
    ['SELECT d.| FROM Ent.[R&D: People] d', 'R&D: People'],
    ['SELECT a.x FROM A a INNER JOIN [B C] AS b ON b.|', 'B C'],
    ["SELECT a.| FROM A a WHERE x = 'FROM Other a'", 'A'],
    ['SELECT b.| FROM A a, [B C] b', 'B C'],
    ["SELECT b.| FROM [Bob's -- DE] AS b", "Bob's -- DE"],
    ['SELECT a.| FROM A a WHERE EXISTS (SELECT 1 FROM Other a)', 'A'],
    ['SELECT x FROM A a WHERE EXISTS (SELECT 1 FROM Other a WHERE a.|)', 'Other'],
    ['SELECT x FROM A a WHERE EXISTS (SELECT 1 FROM Other o WHERE a.|)', 'A'],
    ['SELECT a.x FROM Other a UNION SELECT a.| FROM A a', 'A'],
    ['SELECT a.| FROM (SELECT * FROM A) a', 'A'],
    ['SELECT a.| FROM (SELECT u.* FROM A u JOIN B v ON 1 = 1) a', 'A'],
  ])('%s: the fields of %s', (text, table) => {
    expect(at(text)).toMatchObject({ what: 'fields', tables: [table], names: [] });
  });

  test('begins where the name begins, with its bracket', () => {
    expect(at('SELECT [My DE].[Fi| FROM [My DE]')).toMatchObject({ from: 15 });
    expect(at('SELECT 1 FROM _Se|')).toEqual({ what: 'tables', from: 14 });
    expect(at('SELECT 1 FROM [My D|')).toEqual({ what: 'tables', from: 14 });
    expect(at('SELECT 1 FROM Ent.Pe|')).toMatchObject({ what: 'tables' });
  });

  test('elsewhere the fields of all tables that are named', () => {
    expect(at('SELECT | FROM _Sent s JOIN [My DE] d ON 1 = 1')).toEqual({
      what: 'any',
      tables: ['_Sent', 'My DE'],
      names: [],
      from: 7,
    });
  });

  test('of a query in parentheses, the names of its columns', () => {
    const query =
      'SELECT TOP (5) a.Id, COUNT(*) AS [All Opens], Last = MAX(d), CASE WHEN 1 = 1 THEN 2 END x, b.* FROM A a JOIN B b ON 1 = 1';
    expect(at(`SELECT q.| FROM (${query} UNION SELECT 1, 2, 3, 4 FROM C) AS q`)).toEqual({
      what: 'fields',
      tables: ['B'],
      names: ['Id', 'All Opens', 'Last', 'x'],
      from: 9,
    });
  });

  test('in a text and in a comment nothing', () => {
    const nothing = { what: 'any', tables: [], names: [] };
    expect(at("SELECT a FROM A WHERE x = 'a.|'")).toMatchObject(nothing);
    expect(at('SELECT a FROM A -- a.|')).toMatchObject(nothing);
    expect(at('SELECT a FROM A /* [a.|')).toMatchObject(nothing);
  });
});

test('a word that follows a table is no alias of it', () => {
  expect(at('SELECT where.| FROM T WHERE x = 1 ORDER BY a')).toMatchObject({ tables: [] });
  expect(at('SELECT u.| FROM T -- , U u\n')).toMatchObject({ tables: [] });
});

test('names are written as SQL needs them', () => {
  expect(['_Sent', 'Año', 'My DE', 'CampaignMember:Id', 'a]b'].map(bracketed)).toEqual([
    '_Sent',
    'Año',
    '[My DE]',
    '[CampaignMember:Id]',
    '[a]]b]',
  ]);
});
