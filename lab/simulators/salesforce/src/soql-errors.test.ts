import { expect, test } from 'vitest';
import { startWorld } from '../test/world.ts';

const D = 'Generated_Document__c';

/** What is wrong, and the column it is found at. */
test.each<[string, string, string, number | null]>([
  ['SELECT Id FORM Account', 'MALFORMED_QUERY', "expecting a from, found 'Account'", 16],
  ['SELECT Id, FROM Account', 'MALFORMED_QUERY', "unexpected token: 'FROM'", 12],
  ['SELECT FROM Account', 'MALFORMED_QUERY', "unexpected token: 'FROM'", 8],
  ['q=SELECT Id FROM Account', 'MALFORMED_QUERY', "unexpected token: 'q'", 1],
  ['SELECT Id FROM Account WHERE', 'MALFORMED_QUERY', 'unexpected token: <EOF>', 29],
  ['SELECT Id FROM Account WHERE Name IS NULL', 'MALFORMED_QUERY', "unexpected token: 'IS'", 35],
  ["SELECT Id FROM Account WHERE Name = 'A", 'MALFORMED_QUERY', 'no viable alternative', 37],
  [
    String.raw`SELECT Id FROM Account WHERE Name = '\q'`,
    'MALFORMED_QUERY',
    'illegal character sequence',
    38,
  ],
  ['SELECT Id FROM Account WHERE Name = ?', 'MALFORMED_QUERY', "unexpected token: '?'", 37],
  ['SELECT Id FROM Account WHERE Name = :name', 'MALFORMED_QUERY', "unexpected token: ':'", 37],
  [
    `SELECT Id FROM ${D} WHERE LockedUntil__c < NOW()`,
    'MALFORMED_QUERY',
    "unexpected token: 'NOW'",
    61,
  ],
  [
    "SELECT Id FROM Account WHERE Name = 'a' AND Name = 'b' OR Name = 'c'",
    'MALFORMED_QUERY',
    "unexpected token: 'OR'",
    56,
  ],
  ['SELECT Id FROM Account LIMIT -1', 'MALFORMED_QUERY', "unexpected token: '-1'", 30],
  ['SELECT Id FROM Account LIMIT 1 garbage', 'MALFORMED_QUERY', "unexpected token: 'garbage'", 32],
  ['SELECT Id FROM Account ORDER BY Name FOR UPDATE', 'MALFORMED_QUERY', 'FOR UPDATE', 24],
  [
    'SELECT Name, COUNT(Id) FROM Account',
    'MALFORMED_QUERY',
    'Field must be grouped or aggregated: Name',
    8,
  ],
  [
    'SELECT COUNT(Id) FROM Account ORDER BY Name',
    'MALFORMED_QUERY',
    'Field must be grouped or aggregated: Name',
    40,
  ],
  [
    'SELECT SUM(Name) FROM Account',
    'MALFORMED_QUERY',
    'does not support aggregate operator SUM',
    12,
  ],
  [
    `SELECT RequestJSON__c FROM ${D} GROUP BY RequestJSON__c`,
    'MALFORMED_QUERY',
    'can not be grouped',
    59,
  ],
  ['SELECT Id FROM Account WHERE CreatedDate = 2026-13-01', 'MALFORMED_QUERY', 'Invalid date', 44],
  ['SELECT FIELDS(ALL) FROM Account', 'MALFORMED_QUERY', 'LIMIT of at most 200', 8],
  ['SELECT Id FROM Nothing__c', 'INVALID_TYPE', "sObject type 'Nothing__c' is not supported", 16],
  ['SELECT Id FROM Docgen_Wakeup__e', 'INVALID_TYPE', 'is not supported', 16],
  [
    'SELECT Id, (SELECT Id FROM Nothings) FROM Account',
    'INVALID_TYPE',
    "Didn't understand relationship 'Nothings'",
    28,
  ],
  [
    'SELECT Id, Nothing__c FROM Account',
    'INVALID_FIELD',
    "No such column 'Nothing__c' on entity 'Account'",
    12,
  ],
  [
    'SELECT Id FROM Account WHERE Nothing = 1',
    'INVALID_FIELD',
    "No such column 'Nothing' on entity 'Account'",
    30,
  ],
  ['SELECT Id FROM Account ORDER BY Nothing', 'INVALID_FIELD', "No such column 'Nothing'", 33],
  [
    'SELECT Owner.Nothing FROM Account',
    'INVALID_FIELD',
    "No such column 'Nothing' on entity 'User'",
    8,
  ],
  [
    'SELECT Nothing__r.Name FROM Account',
    'INVALID_FIELD',
    "Didn't understand relationship 'Nothing__r'",
    8,
  ],
  [
    `SELECT Id FROM ${D} WHERE RequestJSON__c = 'x'`,
    'INVALID_FIELD',
    "field 'RequestJSON__c' can not be filtered in a query call",
    44,
  ],
  [
    `SELECT Id FROM ${D} ORDER BY Error__c`,
    'INVALID_FIELD',
    "field 'Error__c' can not be sorted in a query call",
    47,
  ],
  [
    'SELECT Id FROM Account WHERE Name = 5',
    'INVALID_FIELD',
    'must be of type string and should be enclosed in quotes',
    37,
  ],
  [
    `SELECT Id FROM ${D} WHERE Priority__c = '5'`,
    'INVALID_FIELD',
    'must be of type double and should not be enclosed in quotes',
    58,
  ],
  [
    "SELECT Id FROM Account WHERE CreatedDate > '2026-01-01T00:00:00Z'",
    'INVALID_FIELD',
    'must be of type dateTime and should not be enclosed in quotes',
    44,
  ],
  ['SELECT Id FROM Account WHERE IsDeleted = 1', 'INVALID_FIELD', 'must be of type boolean', 42],
  [
    "SELECT Id FROM Account WHERE Id = 'x'",
    'INVALID_QUERY_FILTER_OPERATOR',
    'invalid ID field: x',
    35,
  ],
  [
    `SELECT Id FROM ${D} WHERE Priority__c LIKE '5'`,
    'INVALID_QUERY_FILTER_OPERATOR',
    'invalid operator on double field',
    61,
  ],
  [
    'SELECT Id FROM Account WHERE Name > null',
    'INVALID_QUERY_FILTER_OPERATOR',
    'null is compared by = and !=',
    37,
  ],
  ['SELECT Id, Id FROM Account', 'INVALID_FIELD', 'duplicate field selected: Id', null],
  [
    'SELECT Id FROM Account OFFSET 2001',
    'NUMBER_OUTSIDE_VALID_RANGE',
    'Maximum SOQL offset allowed is 2000',
    null,
  ],
  ['', 'MALFORMED_QUERY', 'SOQL statements cannot be empty or null', null],
  [
    'SELECT Id FROM ContentDocumentLink',
    'MALFORMED_QUERY',
    'ContentDocumentLink requires a filter',
    null,
  ],
])('%s', async (soql, errorCode, reason, column) => {
  const world = await startWorld();
  const { status, body } = await world.query(soql);
  expect(status).toBe(400);
  expect(body).toEqual([{ errorCode, message: expect.stringContaining(reason) }]);
  if (column !== null) expect(body[0]?.message).toContain(`ERROR at Row:1:Column:${column}\n`);
});

test('the place is shown, in its row', async () => {
  const world = await startWorld();
  const { body } = await world.query('SELECT Id\nFROM Account\nWHERE Nothing = 1');
  expect(body[0]?.message).toMatch(
    /^\nWHERE Nothing = 1\n {6}\^\nERROR at Row:3:Column:7\nNo such column 'Nothing'/,
  );
});

test('a query without q', async () => {
  const world = await startWorld();
  expect((await world.call('GET', '/query')).body).toMatchObject([
    { errorCode: 'MALFORMED_QUERY' },
  ]);
  expect((await world.call('POST', '/query?q=SELECT+Id+FROM+User', {})).status).toBe(405);
});

test('pages: totalSize of all, a relative next address, no page twice', async () => {
  const world = await startWorld();
  for (let index = 0; index < 401; index += 1)
    await world.org.insert('Account', { Name: `A${index}` });
  const batches = { 'sforce-query-options': 'batchSize=1' }; // 200 is the least
  const first = await world.query('SELECT Name FROM Account', batches);
  expect(first.body).toMatchObject({ totalSize: 401, done: false });
  expect(first.body.records).toHaveLength(200);
  expect(first.body.nextRecordsUrl).toMatch(/^\/services\/data\/v66\.0\/query\/01g\w{15}-200$/);
  const second = await world.call('GET', first.body.nextRecordsUrl);
  const third = await world.call('GET', second.body.nextRecordsUrl);
  expect(third.body).toMatchObject({ totalSize: 401, done: true, records: [{ Name: 'A400' }] });
  expect(third.body).not.toHaveProperty('nextRecordsUrl');
  const gone = await world.call('GET', second.body.nextRecordsUrl);
  expect(gone.body).toEqual([
    { errorCode: 'INVALID_QUERY_LOCATOR', message: 'invalid query locator' },
  ]);
});

test('pages of at most 2,000', async () => {
  const world = await startWorld();
  for (let index = 0; index < 2001; index += 1)
    await world.org.insert('Account', { Name: `A${index}` });
  const { body } = await world.query('SELECT Id FROM Account', {
    'sforce-query-options': 'batchSize=9999',
  });
  expect(body.records).toHaveLength(2000);
  expect(body.done).toBe(false);
});
