import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { OBJECTS, PUBLIC_KEY, startWorld } from '../test/world.ts';
import { type SalesforceOptions, startSalesforce } from './index.ts';

const secret = 'hush';

test.each<[string, SalesforceOptions, string]>([
  ['every address', { host: '0.0.0.0' }, 'host'],
  ['every IPv6 address', { host: '[::]' }, 'host'],
  ['no address', { host: 'a b' }, 'host'],
  ['a port too high', { port: 65_536 }, 'port'],
  ['a namespace with a dash', { namespace: 'a-b' }, 'namespace'],
  ['too long a namespace', { namespace: 'abcdefghijklmnop' }, 'namespace'],
  ['no users', { users: [] }, 'users'],
  ['no username', { users: [{ username: '' }] }, 'users'],
  ['one username twice', { users: [{ username: 'A@b' }, { username: 'a@b' }] }, 'users'],
  [
    'one client twice',
    {
      apps: [
        { clientId: 'a', secret },
        { clientId: 'a', secret },
      ],
    },
    'apps',
  ],
  ['no client id', { apps: [{ clientId: '', secret }] }, 'apps'],
  ['an app without anything', { apps: [{ clientId: 'a' }] }, 'apps'],
  ['an empty secret', { apps: [{ clientId: 'a', secret: '' }] }, 'apps'],
  ['no certificate', { apps: [{ clientId: 'a', certificate: 'hush' }] }, 'apps'],
  ['a stranger', { apps: [{ clientId: 'a', secret, runAs: 'x' }] }, 'apps'],
  ['half a call', { dailyApiRequests: 0.5 }, 'dailyApiRequests'],
  ['no session', { sessionTimeoutMs: 0 }, 'sessionTimeoutMs'],
  ['no number', { latencyMs: Number.NaN }, 'latencyMs'],
  ['no wait', { lockWaitMs: -1 }, 'lockWaitMs'],
  ['no long poll', { longPollMs: 0 }, 'longPollMs'],
  ['no room', { storageBytes: -1 }, 'storageBytes'],
  ['no seed', { seed: 1.5 }, 'seed'],
  ['no folder', { objects: '/nowhere/at/all' }, 'objects'],
  ['Apex without its objects', { apex: true }, 'apex'],
])('refused: %s', async (_, options, name) => {
  await expect(startSalesforce(options)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringMatching(new RegExp(`^${name}: (?!.*hush)`)),
  });
});

test('a port in use says so', async () => {
  const { origin } = await startWorld();
  await expect(startWorld({ port: Number(new URL(origin).port) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test.each(['localhost', '127.0.0.1', '127.0.0.2'])(
  'listens on %s under that name',
  async (host) => {
    const world = await startWorld({ host });
    expect(world.instanceUrl).toMatch(`http://${host}:`);
    expect((await world.query('SELECT Id FROM User')).status).toBe(200);
  },
);

test('an org of its own: standard objects, no package', async () => {
  const org = await startSalesforce({ apps: [{ clientId: 'a', certificate: PUBLIC_KEY }] });
  const id = await org.org.insert('Account', { Name: 'A' });
  expect(org.org.record(id)).toMatchObject({ Name: 'A' });
  await org.close();
});

test('seeds: any field, but no field that is not there', async () => {
  const world = await startWorld();
  const CreatedDate = new Date('2020-01-01T00:00:00Z');
  const id = await world.org.insert('Account', { Name: 'A', CreatedDate });
  expect(world.org.record(id)).toMatchObject({ CreatedDate: '2020-01-01T00:00:00.000+0000' });
  await world.org.update(id, { Industry: 'Mills' });
  expect(world.org.record(id)).toMatchObject({ Industry: 'Mills' });
  await expect(world.org.insert('Account', { Nmae: 'A' })).rejects.toThrow(
    'Account has no field Nmae.',
  );
  await world.org.remove(id);
  expect(world.org.record(id)).toBeNull();
  expect(world.calls.total).toBe(0);
});

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function objects(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'objects-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const field = (inside: string): string =>
  `<?xml version="1.0"?>\n<!-- a field --><CustomField xmlns="x">${inside}</CustomField>`;
const BIN = {
  'Bin__c/Bin__c.object-meta.xml':
    '<CustomObject><label>Bin &amp; Box</label><nameField><type>Text</type></nameField></CustomObject>',
};

test('metadata: kinds of fields, defaults, what happens when a parent goes', async () => {
  const more = objects({
    ...BIN,
    'Bin__c/fields/Note__c.field-meta.xml': field(
      '<fullName>Note__c</fullName><type>Text</type><length>5</length><defaultValue>"new"</defaultValue><unique>true</unique>',
    ),
    'Bin__c/fields/On__c.field-meta.xml': field(
      '<fullName>On__c</fullName><type>Checkbox</type><defaultValue>true</defaultValue>',
    ),
    'Bin__c/fields/Price__c.field-meta.xml': field(
      '<fullName>Price__c</fullName><type>Currency</type><precision>5</precision><scale>2</scale><required>true</required>',
    ),
    'Bin__c/fields/Account__c.field-meta.xml': field(
      '<fullName>Account__c</fullName><type>Lookup</type><referenceTo>Account</referenceTo><deleteConstraint>Restrict</deleteConstraint>',
    ),
    'Bin__c/fields/Owner__c.field-meta.xml': field(
      '<fullName>Owner__c</fullName><type>MasterDetail</type><referenceTo>Contact</referenceTo><relationshipName>Bins</relationshipName>',
    ),
    'Account/fields/Code__c.field-meta.xml': field(
      '<fullName>Code__c</fullName><type>AutoNumber</type><displayFormat>A-{000}</displayFormat>',
    ),
  });
  const world = await startWorld({ objects: [OBJECTS, more] });
  const account = await world.create('Account', { Name: 'A' });
  expect(world.org.record(account)).toMatchObject({ Code__c: 'A-001' });
  const contact = await world.create('Contact', { LastName: 'C' });
  const bin = { Name: 'B', Price__c: 12.345, Account__c: account, Owner__c: contact };
  const id = await world.create('Bin__c', bin);
  expect(world.org.record(id)).toMatchObject({ Note__c: 'new', On__c: true, Price__c: 12.35 });
  const twice = await world.call('POST', '/sobjects/Bin__c', { ...bin, Note__c: 'NEW' }); // unique without case
  expect(twice.body).toMatchObject([{ errorCode: 'DUPLICATE_VALUE' }]);
  const dear = await world.call('POST', '/sobjects/Bin__c', {
    ...bin,
    Price__c: 1000,
    Note__c: 'x',
  });
  expect(dear.body).toMatchObject([{ errorCode: 'NUMBER_OUTSIDE_VALID_RANGE' }]);
  const held = await world.call('DELETE', `/sobjects/Account/${account}`);
  expect(held.body).toMatchObject([{ errorCode: 'DELETE_FAILED' }]);
  expect(world.org.record(account)).not.toBeNull();
  const { body } = await world.query('SELECT (SELECT Name FROM Bins__r) FROM Contact');
  expect(body.records[0]?.Bins__r?.records).toMatchObject([{ Name: 'B' }]);
  await world.call('DELETE', `/sobjects/Contact/${contact}`);
  expect(world.org.record(id)).toBeNull();
});

test.each<[string, Record<string, string>, string]>([
  ['no XML', { ...BIN, 'Bin__c/fields/A__c.field-meta.xml': '<a>' }, 'is never closed'],
  ['crossed tags', { ...BIN, 'Bin__c/fields/A__c.field-meta.xml': '<a><b></a></b>' }, 'closes'],
  [
    'no name',
    { ...BIN, 'Bin__c/fields/A__c.field-meta.xml': field('<type>Text</type>') },
    'names no field',
  ],
  [
    'a type we lack',
    {
      ...BIN,
      'Bin__c/fields/A__c.field-meta.xml': field('<fullName>A__c</fullName><type>Location</type>'),
    },
    'is not simulated',
  ],
  [
    'fields of nothing',
    { 'Bin__c/fields/A__c.field-meta.xml': field('<fullName>A__c</fullName><type>Text</type>') },
    'nothing says what object it is',
  ],
  [
    'a lookup to nothing',
    {
      ...BIN,
      'Bin__c/fields/A__c.field-meta.xml': field(
        '<fullName>A__c</fullName><type>Lookup</type><referenceTo>No__c</referenceTo>',
      ),
    },
    'No__c, which is not there',
  ],
])('metadata refused: %s', async (_, files, message) => {
  await expect(startSalesforce({ objects: objects(files), apex: false })).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(message),
  });
});
