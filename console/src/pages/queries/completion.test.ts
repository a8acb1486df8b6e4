import { describe, expect, test } from 'vitest';
import { bracketed, namedTables, wantedAt } from './completion.ts';

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
  ])('%s: the fields of %s', (text, table) => {
    expect(at(text)).toMatchObject({ what: 'fields', table });
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
      from: 7,
    });
  });
});

test('a word that follows a table is no alias of it', () => {
  expect([...namedTables('SELECT a FROM T WHERE x = 1 ORDER BY a')]).toEqual([['t', 'T']]);
  expect([...namedTables('SELECT a FROM T -- FROM U\n')]).toEqual([['t', 'T']]);
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
