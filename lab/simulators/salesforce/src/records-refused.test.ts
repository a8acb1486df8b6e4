import { expect, test } from 'vitest';
import { refusalOf, startWorld } from '../test/world.ts';

const NOW = '2026-05-20T10:00:00.000+0000';

test.each<[string, string, Record<string, unknown>, string, string, string[]?]>([
  [
    'a field that is not there',
    'Account',
    { Name: 'A', No__c: 1 },
    'INVALID_FIELD',
    "No such column 'No__c' on sobject of type Account",
  ],
  [
    'a field that nobody writes',
    'Account',
    { Name: 'A', CreatedDate: NOW },
    'INVALID_FIELD_FOR_INSERT_UPDATE',
    'Unable to create/update fields: CreatedDate',
    ['CreatedDate'],
  ],
  [
    'a number that is automatic',
    'Case',
    { CaseNumber: '1' },
    'INVALID_FIELD_FOR_INSERT_UPDATE',
    'CaseNumber',
    ['CaseNumber'],
  ],
  [
    'what is required',
    'Opportunity',
    { Name: 'O' },
    'REQUIRED_FIELD_MISSING',
    'Required fields are missing: [StageName, CloseDate]',
    ['StageName', 'CloseDate'],
  ],
  [
    'a required picklist that is emptied',
    'Generated_Document__c',
    { Status__c: null },
    'REQUIRED_FIELD_MISSING',
    '[Status__c]',
    ['Status__c'],
  ],
  [
    'too long a text',
    'Docgen_Lease__c',
    { Key__c: 'x'.repeat(81) },
    'STRING_TOO_LONG',
    `Key: data value too large: ${'x'.repeat(81)} (max length=80)`,
    ['Key__c'],
  ],
  [
    'too long a long text',
    'Generated_Document__c',
    { Error__c: 'x'.repeat(32_769) },
    'STRING_TOO_LONG',
    'max length=32768',
    ['Error__c'],
  ],
  [
    'a value outside the list',
    'Generated_Document__c',
    { Status__c: 'DONE' },
    'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
    'Status: bad value for restricted picklist field: DONE',
    ['Status__c'],
  ],
  [
    'too large a number',
    'Generated_Document__c',
    { Priority__c: 10_000 },
    'NUMBER_OUTSIDE_VALID_RANGE',
    '10000',
    ['Priority__c'],
  ],
  [
    'a text for a number',
    'Generated_Document__c',
    { Priority__c: 'high' },
    'JSON_PARSER_ERROR',
    'Cannot deserialize instance of double from VALUE_STRING value high',
  ],
  [
    'a number for a text',
    'Account',
    { Name: 5 },
    'JSON_PARSER_ERROR',
    'Cannot deserialize instance of string from VALUE_NUMBER_INT value 5',
  ],
  [
    'no moment',
    'Generated_Document__c',
    { LockedUntil__c: 'soon' },
    'JSON_PARSER_ERROR',
    'Cannot deserialize instance of datetime',
  ],
  [
    'an empty checkbox',
    'Generated_Document__c',
    { CancelRequested__c: null },
    'INVALID_TYPE_ON_FIELD_IN_RECORD',
    'value not of required type',
    ['CancelRequested__c'],
  ],
  [
    'no address',
    'Contact',
    { LastName: 'C', Email: 'x' },
    'INVALID_EMAIL_ADDRESS',
    'invalid email address: x',
    ['Email'],
  ],
  [
    'no id',
    'Generated_Document__c',
    { Account__c: 'x' },
    'MALFORMED_ID',
    'Account: id value of incorrect type: x',
    ['Account__c'],
  ],
  [
    'an id of nobody',
    'Generated_Document__c',
    { Account__c: '001Wz00000000zzIAA' },
    'INVALID_CROSS_REFERENCE_KEY',
    'invalid cross reference id',
    ['Account__c'],
  ],
  [
    'an id of another object',
    'Generated_Document__c',
    { Account__c: '003Wz00000000zzIAA' },
    'FIELD_INTEGRITY_EXCEPTION',
    'id value of incorrect type',
    ['Account__c'],
  ],
  [
    'an object nobody inserts',
    'ContentDocument',
    { Title: 'T' },
    'INVALID_TYPE_FOR_OPERATION',
    'entity type cannot be inserted: Content Document',
    [],
  ],
])('refused: %s', async (_, type, fields, errorCode, message, named) => {
  const world = await startWorld({ apex: false }); // the trigger would fill what is empty
  expect(await refusalOf(world, type, fields)).toEqual({
    errorCode,
    message: expect.stringContaining(message),
    ...(named !== undefined && { fields: named }),
  });
  expect(world.org.records(type)).toEqual([]);
});

test('a lookup to a deleted record is refused, and emptied when the record goes', async () => {
  const world = await startWorld();
  const account = await world.create('Account', { Name: 'A' });
  const id = await world.create('Generated_Document__c', { Account__c: account });
  const deal = { Name: 'O', StageName: 'S', CloseDate: '2026-01-01', AccountId: account };
  const opportunity = await world.create('Opportunity', deal);
  const item = await world.create('OpportunityLineItem', {
    OpportunityId: opportunity,
    Quantity: 1,
  });
  await world.call('DELETE', `/sobjects/Account/${account}`);
  expect(world.org.record(id)).toMatchObject({ Account__c: null });
  expect(await refusalOf(world, 'Generated_Document__c', { Account__c: account })).toMatchObject({
    errorCode: 'ENTITY_IS_DELETED',
  });
  await world.call('DELETE', `/sobjects/Opportunity/${opportunity}`);
  expect(world.org.record(item)).toBeNull();
});

test('unique values: with case where the field minds it, once a record is gone it is free', async () => {
  const world = await startWorld();
  const id = await world.create('Docgen_Lease__c', { Key__c: 'k' });
  expect(await refusalOf(world, 'Docgen_Lease__c', { Key__c: 'k' })).toEqual({
    errorCode: 'DUPLICATE_VALUE',
    message: `duplicate value found: Key__c duplicates value on record with id: ${id}`,
    fields: [],
  });
  const other = await world.create('Docgen_Lease__c', { Key__c: 'K' });
  await world.create('Docgen_Lease__c', {});
  await world.create('Docgen_Lease__c', { Key__c: null }); // empty is not a value
  const moved = await world.call('PATCH', `/sobjects/Docgen_Lease__c/${other}`, { Key__c: 'k' });
  expect(moved.body).toMatchObject([{ errorCode: 'DUPLICATE_VALUE' }]);
  await world.call('DELETE', `/sobjects/Docgen_Lease__c/${id}`);
  expect(
    (await world.call('PATCH', `/sobjects/Docgen_Lease__c/${other}`, { Key__c: 'k' })).status,
  ).toBe(204);
  await world.create('Docgen_Lease__c', { Key__c: 'K' });
});
