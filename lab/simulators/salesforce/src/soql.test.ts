import { beforeEach, describe, expect, test } from 'vitest';
import { type World, startWorld } from '../test/world.ts';

let world: World;
let ids: Record<string, string>;

/** Seven documents of two accounts. The middle of the day, so that days before and after are clear. */
beforeEach(async () => {
  world = await startWorld();
  const acme = await world.org.insert('Account', { Name: 'Acme', AnnualRevenue: 1000.5 });
  const zulu = await world.org.insert('Account', { Name: 'zulu', Industry: 'Mills' });
  ids = { acme, zulu };
  const rows: Record<string, unknown>[] = [
    { Kind__c: 'a', Priority__c: 5, Account__c: acme, CreatedDate: '2026-05-20T08:00:00Z' },
    { Kind__c: 'A', Priority__c: 1, Account__c: acme, CreatedDate: '2026-05-19T23:59:59Z' },
    { Kind__c: 'b', Priority__c: null, Account__c: zulu, CreatedDate: '2026-05-13T00:00:00Z' },
    { Kind__c: 'b', Priority__c: 5, Status__c: 'FAILED', CreatedDate: '2026-05-12T23:59:59Z' },
    { Kind__c: null, Priority__c: -3, Status__c: 'SUCCEEDED', CreatedDate: '2026-04-30T12:00:00Z' },
    {
      Kind__c: '100%',
      Priority__c: 2,
      CancelRequested__c: true,
      CreatedDate: '2025-12-31T12:00:00Z',
    },
    { Kind__c: "it's_x", Priority__c: 2, CreatedDate: '2026-05-21T00:00:00Z' },
  ];
  for (const [index, row] of rows.entries()) {
    const at = row['CreatedDate'];
    const fields = { ...row, Worker__c: `w${index + 1}`, StartedAt__c: at };
    ids[`w${index + 1}`] = await world.org.insert('Generated_Document__c', fields);
  }
});

/** The workers of the rows found, in the order found: `1 3`. */
async function found(rest: string): Promise<string> {
  const { status, body } = await world.query(`SELECT Worker__c FROM Generated_Document__c ${rest}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.records.map((row) => row.Worker__c.slice(1)).join(' ');
}

describe('WHERE', () => {
  test.each([
    ["Kind__c = 'a'", '1 2'], // without case
    ["Kind__c != 'b'", '1 2 5 6 7'], // an empty field differs
    ["Kind__c <> 'b'", '1 2 5 6 7'],
    ['Kind__c = null', '5'],
    ['Kind__c != NULL', '1 2 3 4 6 7'],
    ["Kind__c > 'a'", '3 4 7'],
    ['Priority__c >= 2', '1 4 6 7'],
    ['Priority__c < 2', '2 5'], // none is not less
    ['Priority__c = -3', '5'],
    ['Priority__c IN (1, 5)', '1 2 4'],
    ['Priority__c IN (1, null)', '2 3'],
    ['Priority__c NOT IN (1, 5)', '3 5 6 7'],
    ['CancelRequested__c = TRUE', '6'],
    ["Kind__c LIKE 'A%'", '1 2'],
    ["Kind__c LIKE '_'", '1 2 3 4'],
    [String.raw`Kind__c LIKE '100\%'`, '6'],
    [String.raw`Kind__c LIKE '%\_x'`, '7'],
    [String.raw`Kind__c = 'it\'s_x'`, '7'],
    [String.raw`Kind__c = '\u0061'`, '1 2'],
    ["Kind__c = 'a' AND Priority__c = 5", '1'],
    ["Kind__c = 'a' OR Priority__c = 5", '1 2 4'],
    ["NOT Kind__c = 'a'", '3 4 5 6 7'],
    ["NOT (Kind__c = 'a' OR Priority__c = 2)", '3 4 5'],
    ["(Kind__c = 'b' OR Kind__c = 'a') AND (NOT Priority__c = 5)", '2 3'],
    ["Account__r.Name = 'ACME'", '1 2'],
    ['Account__r.Name != null', '1 2 3'],
    ["Account__r.Owner.Username LIKE 'integration%'", '1 2 3'],
    ["Account__c IN (SELECT Id FROM Account WHERE Industry = 'Mills')", '3'],
    ["Account__c NOT IN (SELECT Id FROM Account WHERE Industry = 'Mills')", '1 2 4 5 6 7'],
    ['Id IN (SELECT Id FROM Generated_Document__c WHERE Priority__c = 5)', '1 4'],
    ["StatUS__c = 'failed'", '4'],
  ])('%s', async (where, rows) => {
    expect(await found(`WHERE ${where}`)).toBe(rows);
  });

  test('ids of 15 and of 18 letters', async () => {
    const { w2 = '', w5 = '' } = ids;
    expect(await found(`WHERE Id = '${w2}'`)).toBe('2');
    expect(await found(`WHERE Id IN ('${w5.slice(0, 15)}', '${w2.slice(0, 15)}')`)).toBe('2 5');
    expect(await found(`WHERE Account__c = '${(ids['zulu'] ?? '').slice(0, 15)}'`)).toBe('3');
  });

  test('case matters in a unique field that minds it', async () => {
    await world.create('Docgen_Lease__c', { Key__c: 'Ab' });
    const ask = (key: string) =>
      world.query(`SELECT Id FROM Docgen_Lease__c WHERE Key__c = '${key}'`);
    expect((await ask('Ab')).body.totalSize).toBe(1);
    expect((await ask('AB')).body.totalSize).toBe(0);
  });
});

describe('moments and dates: it is 2026-05-20, a Wednesday', () => {
  test.each([
    ['CreatedDate = 2026-05-19T23:59:59Z', '2'],
    ['CreatedDate < 2026-05-13T02:00:00+02:00', '4 5 6'],
    ['CreatedDate >= 2026-05-20T08:00:00.000+0000', '1 7'],
    ['CreatedDate = TODAY', '1'],
    ['CreatedDate = YESTERDAY', '2'],
    ['CreatedDate = TOMORROW', '7'],
    ['CreatedDate < TODAY', '2 3 4 5 6'],
    ['CreatedDate <= TODAY', '1 2 3 4 5 6'],
    ['CreatedDate > TODAY', '7'],
    ['CreatedDate >= TODAY', '1 7'],
    ['CreatedDate != TODAY', '2 3 4 5 6 7'],
    ['CreatedDate = LAST_N_DAYS:7', '1 2 3'],
    ['CreatedDate = NEXT_N_DAYS:1', '7'],
    ['CreatedDate = THIS_WEEK', '1 2 7'],
    ['CreatedDate = LAST_WEEK', '3 4'],
    ['CreatedDate = THIS_MONTH', '1 2 3 4 7'],
    ['CreatedDate = LAST_MONTH', '5'],
    ['CreatedDate = THIS_QUARTER', '1 2 3 4 5 7'],
    ['CreatedDate = LAST_N_MONTHS:1', '5'],
    ['CreatedDate = N_DAYS_AGO:1', '2'],
    ['CreatedDate = THIS_YEAR', '1 2 3 4 5 7'],
    ['CreatedDate = LAST_YEAR', '6'],
    ['StartedAt__c = TODAY', '1'],
  ])('%s', async (where, rows) => {
    expect(await found(`WHERE ${where}`)).toBe(rows);
  });

  test('a date field compares with dates', async () => {
    const deal = { Name: 'D', StageName: 'New', CloseDate: '2026-05-20' };
    await world.create('Opportunity', deal);
    const count = async (where: string) =>
      (await world.query(`SELECT COUNT() FROM Opportunity WHERE ${where}`)).body.totalSize;
    expect(await count('CloseDate = 2026-05-20')).toBe(1);
    expect(await count('CloseDate > 2026-05-20')).toBe(0);
    expect(await count('CloseDate = TODAY')).toBe(1);
  });
});

describe('ORDER BY, LIMIT, OFFSET', () => {
  test.each([
    ['ORDER BY Priority__c, Worker__c', '3 5 2 6 7 1 4'], // none comes first
    ['ORDER BY Priority__c NULLS LAST, Worker__c', '5 2 6 7 1 4 3'],
    ['ORDER BY Priority__c DESC NULLS LAST, CreatedDate ASC', '4 1 6 7 2 5 3'],
    ['ORDER BY Priority__c DESC NULLS FIRST, CreatedDate DESC', '3 1 4 7 6 2 5'],
    ['ORDER BY Status__c DESC, Id ASC', '4 5 1 2 3 6 7'], // as the picklist has it
    ['ORDER BY Account__r.Name DESC NULLS LAST, Worker__c', '3 1 2 4 5 6 7'],
    ['ORDER BY CreatedDate LIMIT 2', '6 5'],
    ['ORDER BY CreatedDate LIMIT 2 OFFSET 2', '4 3'],
    ['ORDER BY CreatedDate OFFSET 5', '1 7'],
    ['LIMIT 0', ''],
  ])('%s', async (rest, rows) => {
    expect(await found(rest)).toBe(rows);
  });

  test('the queue as the poller asks for it', async () => {
    const due =
      "Status__c = 'QUEUED' AND (ScheduledRetryTime__c = null OR ScheduledRetryTime__c <= 2026-05-20T10:00:00Z)";
    expect(
      await found(
        `WHERE ${due} ORDER BY Priority__c DESC NULLS LAST, CreatedDate ASC, Id ASC LIMIT 20`,
      ),
    ).toBe('1 6 7 2 3');
  });
});

describe('SELECT', () => {
  test('parents, whether they are there or not; moments; addresses', async () => {
    const { body } = await world.query(
      `SELECT Id, CreatedDate, Account__r.Name, Account__r.Owner.Name, Template__r.Name FROM Generated_Document__c WHERE Id IN ('${ids['w1'] ?? ''}', '${ids['w4'] ?? ''}')`,
    );
    expect(body.records).toEqual([
      {
        attributes: {
          type: 'Generated_Document__c',
          url: `/services/data/v66.0/sobjects/Generated_Document__c/${ids['w1'] ?? ''}`,
        },
        Id: ids['w1'],
        CreatedDate: '2026-05-20T08:00:00.000+0000',
        Account__r: {
          attributes: expect.objectContaining({ type: 'Account' }),
          Name: 'Acme',
          Owner: {
            attributes: expect.objectContaining({ type: 'User' }),
            Name: 'Integration User',
          },
        },
        Template__r: null,
      },
      expect.objectContaining({ Account__r: null }),
    ]);
  });

  test('children, and their own conditions', async () => {
    const { body } = await world.query(
      'SELECT Name, (SELECT Kind__c FROM Generated_Documents__r WHERE Priority__c > 1 ORDER BY Kind__c LIMIT 1) FROM Account ORDER BY Name',
    );
    expect(body.records).toMatchObject([
      {
        Name: 'Acme',
        Generated_Documents__r: { totalSize: 1, done: true, records: [{ Kind__c: 'a' }] },
      },
      { Name: 'zulu', Generated_Documents__r: null },
    ]);
  });

  test('names without case, an alias, FIELDS()', async () => {
    const { body } = await world.query("select a.id, NAME from account a where a.Name = 'Acme'");
    expect(body.records).toMatchObject([{ Id: ids['acme'], Name: 'Acme' }]);
    const all = await world.query('SELECT FIELDS(CUSTOM) FROM Generated_Document__c LIMIT 1');
    expect(all.body.records[0]).toMatchObject({ Worker__c: 'w1', Kind__c: 'a' });
    expect(all.body.records[0]).not.toHaveProperty('Name');
  });

  test('deleted records are for queryAll only', async () => {
    await world.call('DELETE', `/sobjects/Generated_Document__c/${ids['w1'] ?? ''}`);
    const soql = 'SELECT Id, IsDeleted FROM Generated_Document__c';
    expect((await world.query(soql)).body.totalSize).toBe(6);
    const all = await world.call(
      'GET',
      `/queryAll?q=${encodeURIComponent(`${soql} WHERE IsDeleted = true`)}`,
    );
    expect(all.body.records).toMatchObject([{ Id: ids['w1'], IsDeleted: true }]);
  });
});

describe('aggregates', () => {
  const ask = async (soql: string) => {
    const { status, body } = await world.query(soql);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.records.map((row) => {
      const { attributes, ...rest } = row;
      expect(attributes).toEqual({ type: 'AggregateResult' });
      return rest;
    });
  };

  test('COUNT() is a number and no records', async () => {
    const { body } = await world.query(
      "SELECT COUNT() FROM Generated_Document__c WHERE Kind__c = 'a'",
    );
    expect(body).toEqual({ totalSize: 2, done: true, records: [] });
  });

  test('over all rows, be there none', async () => {
    expect(
      await ask(
        'SELECT COUNT(Id) total, COUNT(Kind__c), COUNT_DISTINCT(Kind__c) kinds, SUM(Priority__c), AVG(Priority__c) mean, MIN(CreatedDate) first, MAX(Kind__c) last FROM Generated_Document__c',
      ),
    ).toEqual([
      {
        total: 7,
        expr0: 6,
        kinds: 4,
        expr1: 12,
        mean: 2,
        first: '2025-12-31T12:00:00.000+0000',
        last: "it's_x",
      },
    ]);
    expect(
      await ask(
        "SELECT COUNT(Id), SUM(Priority__c) FROM Generated_Document__c WHERE Kind__c = 'none'",
      ),
    ).toEqual([{ expr0: 0, expr1: null }]);
  });

  test('by group, with conditions on groups and their order', async () => {
    expect(
      await ask(
        'SELECT Status__c, COUNT(Id) total FROM Generated_Document__c GROUP BY Status__c ORDER BY COUNT(Id) DESC, Status__c',
      ),
    ).toEqual([
      { Status__c: 'QUEUED', total: 5 },
      { Status__c: 'SUCCEEDED', total: 1 },
      { Status__c: 'FAILED', total: 1 },
    ]);
    expect(
      await ask(
        'SELECT Kind__c kind, MAX(Priority__c) top FROM Generated_Document__c GROUP BY Kind__c HAVING COUNT(Id) > 1 AND MAX(Priority__c) = 5 ORDER BY Kind__c LIMIT 1',
      ),
    ).toEqual([{ kind: 'a', top: 5 }]);
    expect(
      await ask(
        'SELECT Account__r.Name, COUNT(Id) FROM Generated_Document__c GROUP BY Account__r.Name ORDER BY Account__r.Name NULLS LAST',
      ),
    ).toEqual([
      { Name: 'Acme', expr0: 2 },
      { Name: 'zulu', expr0: 1 },
      { Name: null, expr0: 4 },
    ]);
  });

  test('templates that fail most, as the guide asks', async () => {
    expect(
      await ask(
        "SELECT Template__c, COUNT(Id) failures FROM Generated_Document__c WHERE Status__c = 'FAILED' AND CreatedDate = LAST_N_DAYS:8 GROUP BY Template__c ORDER BY COUNT(Id) DESC",
      ),
    ).toEqual([{ Template__c: null, failures: 1 }]);
  });
});
