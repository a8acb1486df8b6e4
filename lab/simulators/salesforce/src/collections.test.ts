import { expect, test } from 'vitest';
import { type World, startWorld } from '../test/world.ts';

const leases = (keys: readonly (string | null)[]): unknown[] =>
  keys.map((Key__c) => ({ attributes: { type: 'Docgen_Lease__c' }, Key__c }));
const create = (world: World, records: readonly unknown[], allOrNone?: boolean) =>
  world.call('POST', '/composite/sobjects', {
    records,
    ...(allOrNone !== undefined && { allOrNone }),
  });

test('200 lease rows in one call: the loser of each hears DUPLICATE_VALUE', async () => {
  const world = await startWorld();
  const keys = Array.from({ length: 200 }, (_, index) => `k:${index}`);
  const first = await create(world, leases(keys.slice(0, 100)));
  expect(first.body.every((each: { success: boolean }) => each.success)).toBe(true);
  const { status, body } = await create(world, leases(keys));
  expect(status).toBe(200);
  expect(body).toHaveLength(200);
  expect(body[0]).toEqual({
    success: false,
    errors: [
      {
        statusCode: 'DUPLICATE_VALUE',
        message: `duplicate value found: Key__c duplicates value on record with id: ${first.body[0]?.id}`,
        fields: [],
      },
    ],
  });
  expect(body.filter((each: { success: boolean }) => each.success)).toHaveLength(100);
  expect(world.calls.total).toBe(2);
});

test('a key twice in one request: the first wins', async () => {
  const world = await startWorld();
  const { body } = await create(world, leases(['k', 'k', null, null]));
  expect(body.map((each: { success: boolean }) => each.success)).toEqual([true, false, true, true]);
});

test('allOrNone: all are rolled back, and their values are free again', async () => {
  const world = await startWorld();
  const { body } = await create(world, leases(['a', 'b', 'a']), true);
  expect(body.map((each) => each.errors[0]?.statusCode)).toEqual([
    'ALL_OR_NONE_OPERATION_ROLLED_BACK',
    'ALL_OR_NONE_OPERATION_ROLLED_BACK',
    'DUPLICATE_VALUE',
  ]);
  expect(world.org.records('Docgen_Lease__c')).toEqual([]);
  expect((await create(world, leases(['a', 'b']), true)).body).toMatchObject([
    { success: true },
    { success: true },
  ]);
});

test('update: by id, of several objects, each for itself', async () => {
  const world = await startWorld();
  const account = await world.create('Account', { Name: 'A' });
  const contact = await world.create('Contact', { LastName: 'C' });
  const gone = await world.create('Account', { Name: 'G' });
  await world.call('DELETE', `/sobjects/Account/${gone}`);
  const { body } = await world.call('PATCH', '/composite/sobjects', {
    records: [
      { attributes: { type: 'Account' }, id: account, Name: 'B' },
      { attributes: { type: 'Contact' }, Id: contact.slice(0, 15), Title: 'T' },
      { attributes: { type: 'Account' }, id: gone, Name: 'B' },
      { attributes: { type: 'Account' }, id: '001Wz00000000zzIAA', Name: 'B' },
      { attributes: { type: 'Account' }, Name: 'B' },
    ],
  });
  expect(body).toMatchObject([
    { id: account, success: true },
    { id: contact, success: true },
    { errors: [{ statusCode: 'ENTITY_IS_DELETED' }] },
    { errors: [{ statusCode: 'INVALID_CROSS_REFERENCE_KEY' }] },
    { errors: [{ statusCode: 'MISSING_ARGUMENT' }] },
  ]);
  expect(world.org.record(account)).toMatchObject({ Name: 'B' });
});

test('upsert: made or found', async () => {
  const world = await startWorld();
  const id = await world.create('Docgen_Lease__c', { Key__c: 'a' });
  const path = '/composite/sobjects/Docgen_Lease__c/Key__c';
  const { body } = await world.call('PATCH', path, { records: leases(['a', 'b']) });
  expect(body).toMatchObject([
    { id, success: true, created: false },
    { success: true, created: true },
  ]);
});

test('retrieve: in the order asked, null for what is not there', async () => {
  const world = await startWorld();
  const a = await world.create('Account', { Name: 'A' });
  const b = await world.create('Account', { Name: 'B' });
  const none = '001Wz00000000zzIAA';
  const posted = await world.call('POST', '/composite/sobjects/Account', {
    ids: [b, none, a],
    fields: ['Name'],
  });
  expect(posted.body).toMatchObject([{ Id: b, Name: 'B' }, null, { Id: a, Name: 'A' }]);
  const got = await world.call('GET', `/composite/sobjects/Account?ids=${a}&fields=Name`);
  expect(got.body).toMatchObject([{ Id: a }]);
});

test('delete: each for itself, or all', async () => {
  const world = await startWorld();
  const a = await world.create('Account', { Name: 'A' });
  const b = await world.create('Contact', { LastName: 'B' });
  const together = await world.call(
    'DELETE',
    `/composite/sobjects?ids=${a},001Wz00000000zzIAA&allOrNone=true`,
  );
  expect(together.body).toMatchObject([{ success: false }, { success: false }]);
  expect(world.org.record(a)).not.toBeNull();
  const apart = await world.call('DELETE', `/composite/sobjects?ids=${a},${b}`);
  expect(apart.body).toMatchObject([
    { id: a, success: true },
    { id: b, success: true },
  ]);
});

test.each([
  ['201 records', leases(Array.from({ length: 201 }, () => null)), 'EXCEEDED_ID_LIMIT'],
  ['no type', [{ Key__c: 'a' }], 'INVALID_INPUT'],
  ['an unknown type', [{ attributes: { type: 'Nothing__c' } }], 'INVALID_TYPE'],
  [
    'an unknown field',
    [...leases(['a']), { attributes: { type: 'Account' }, No__c: 1 }],
    'INVALID_FIELD',
  ],
  ['no records', 'x', 'JSON_PARSER_ERROR'],
])('refused as a whole: %s', async (_, records, errorCode) => {
  const world = await startWorld();
  const { status, body } = await world.call('POST', '/composite/sobjects', { records });
  expect([status, body[0]?.errorCode]).toEqual([400, errorCode]);
  expect(world.org.records('Docgen_Lease__c')).toEqual([]);
});
