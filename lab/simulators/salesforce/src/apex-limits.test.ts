import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { OBJECTS, type World, startWorld } from '../test/world.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** An org with the package's objects and Apex of its own: one REST class that does `body`, and perhaps a trigger. */
async function orgWith(body: string, trigger = ''): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-apex-'));
  folders.push(folder);
  mkdirSync(join(folder, 'classes'));
  mkdirSync(join(folder, 'triggers'));
  symlinkSync(OBJECTS, join(folder, 'objects'));
  writeFileSync(
    join(folder, 'classes/Greedy.cls'),
    `@RestResource(urlMapping='/greedy/*')
     global class Greedy {
       @HttpPost
       global static void doPost() {
         ${body}
         RestContext.response.responseBody = Blob.valueOf('"done"');
       }
     }`,
  );
  if (trigger !== '') writeFileSync(join(folder, 'triggers/Own.trigger'), trigger);
  return startWorld({ objects: join(folder, 'objects') });
}

const GREEDY = '/services/apexrest/greedy/now';
const FIRST = `insert new Account(Name = 'First');`;

it.each([
  [
    'queries',
    'for (Integer i = 0; i < 101; i++) { Integer n = [SELECT COUNT() FROM Account]; }',
    /^System\.LimitException: Too many SOQL queries: 101\n\nClass\.Greedy\.doPost: line \d+, column 1$/,
  ],
  [
    'writes',
    `for (Integer i = 0; i < 150; i++) { insert new Account(Name = 'A' + i); }`,
    /Too many DML statements: 151/,
  ],
  [
    'rows that are written',
    `List<Account> all = new List<Account>();
     for (Integer i = 0; i < 10000; i++) { all.add(new Account(Name = 'A')); }
     insert all;`,
    /Too many DML rows: 10001/,
  ],
  [
    'heap',
    `List<String> all = new List<String>();
     for (Integer i = 0; i < 70; i++) { all.add('x'.repeat(100000)); }
     Integer n = [SELECT COUNT() FROM Account];`,
    /Apex heap size too large: 7\d{6}/,
  ],
  ['CPU', 'Integer i = 0; while (true) { i = 1; }', /Apex CPU time limit exceeded/],
])('too much is ended with everything undone: %s', async (_, body, message) => {
  const world = await orgWith(FIRST + body);
  const { status, body: answer } = await world.call('POST', GREEDY, {});
  expect(status).toBe(500);
  expect(answer).toEqual([{ errorCode: 'APEX_ERROR', message: expect.stringMatching(message) }]);
  expect(world.org.records('Account')).toEqual([]);
});

it('what is still within the limits is done', async () => {
  const world = await orgWith(
    `${FIRST} for (Integer i = 0; i < 100; i++) { Integer n = [SELECT COUNT() FROM Account]; }`,
  );
  expect(await world.call('POST', GREEDY, {})).toMatchObject({ status: 200, body: 'done' });
  expect(world.org.records('Account')).toHaveLength(1);
});

it('no catch takes a limit, and no finally runs after it', async () => {
  const world = await orgWith(
    `try {
       for (Integer i = 0; i < 101; i++) { Integer n = [SELECT COUNT() FROM Account]; }
     } catch (Exception any) {
       return;
     } finally {
       RestContext.response.statusCode = 299;
     }`,
  );
  expect(await world.call('POST', GREEDY, {})).toMatchObject({
    status: 500,
    body: [{ errorCode: 'APEX_ERROR' }],
  });
});

it('an exception that nobody caught undoes everything', async () => {
  const world = await orgWith(`${FIRST} Account none = null; String name = none.Name;`);
  const { status, body } = await world.call('POST', GREEDY, {});
  expect(status).toBe(500);
  expect(body[0]?.message).toMatch(/^System\.NullPointerException: /);
  expect(world.org.records('Account')).toEqual([]);
});

it('a list that is inserted stands whole or not at all; asked so, each record stands alone', async () => {
  const rows = `List<Account> rows = new List<Account>{ new Account(Name = 'Good'), new Account() };`;
  const whole = await orgWith(
    `${rows} try { insert rows; } catch (DmlException refused) { ${FIRST} }`,
  );
  await whole.call('POST', GREEDY, {});
  expect(whole.org.records('Account')).toMatchObject([{ Name: 'First' }]);

  const each = await orgWith(`${rows} Database.insert(rows, false);`);
  await each.call('POST', GREEDY, {});
  expect(each.org.records('Account')).toMatchObject([{ Name: 'Good' }]);
});

it('a savepoint brings back what was before it', async () => {
  const world = await orgWith(
    `${FIRST} Savepoint before = Database.setSavepoint(); insert new Account(Name = 'Second');
     Database.rollback(before);`,
  );
  expect(await world.call('POST', GREEDY, {})).toMatchObject({ status: 200 });
  expect(world.org.records('Account')).toMatchObject([{ Name: 'First' }]);
});

it('a trigger that throws refuses the record that came by REST, and says where', async () => {
  const world = await orgWith(
    '',
    `trigger Own on Generated_Document__c(before insert) {
       for (Generated_Document__c row : Trigger.new) {
         if (row.Kind__c == 'wrong') { Integer n = Integer.valueOf('x'); }
         row.Worker__c = 'seen';
       }
     }`,
  );
  const { body } = await world.call('POST', '/composite/sobjects', {
    records: ['right', 'wrong'].map((Kind__c) => ({
      attributes: { type: 'Generated_Document__c' },
      Kind__c,
    })),
  });
  expect(body).toMatchObject([
    { success: true },
    {
      success: false,
      errors: [
        {
          statusCode: 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
          message: expect.stringMatching(
            /^Own: execution of BeforeInsert\n\ncaused by: System\.TypeException/,
          ),
        },
      ],
    },
  ]);
  expect(world.org.records('Generated_Document__c')).toMatchObject([
    { Kind__c: 'right', Worker__c: 'seen' },
  ]);
});

it('a row that another transaction has is waited for, and read as that one left it', async () => {
  const world = await orgWith(
    `Account row = [SELECT Id, Description FROM Account LIMIT 1 FOR UPDATE];
     row.Name = 'After ' + row.Description;
     update row;`,
  );
  const id = await world.create('Account', { Name: 'A' });
  const { id: fault } = world.faults.add({ kind: 'hold', method: 'PATCH' });
  const first = world.call('PATCH', `/sobjects/Account/${id}`, { Description: 'the first' });
  const second = world.call('POST', GREEDY, {});
  await world.untilWaiting(1);
  world.faults.remove(fault);
  expect(await Promise.all([first, second])).toMatchObject([{ status: 204 }, { status: 200 }]);
  expect(world.org.record(id)).toMatchObject({ Name: 'After the first' });
});

it('after 10 seconds a row is given up, which Apex can catch', async () => {
  const world = await orgWith(
    `try {
       Account row = [SELECT Id FROM Account LIMIT 1 FOR UPDATE];
     } catch (QueryException busy) {
       RestContext.response.statusCode = 409;
     }`,
  );
  const id = await world.create('Account', { Name: 'A' });
  const { id: fault } = world.faults.add({ kind: 'hold', method: 'PATCH' });
  const first = world.call('PATCH', `/sobjects/Account/${id}`, { Name: 'B' });
  const second = world.call('POST', GREEDY, {});
  await world.untilWaiting(1);
  world.advance(10_001);
  expect(await second).toMatchObject({ status: 409 });
  world.faults.remove(fault);
  expect(await first).toMatchObject({ status: 204 });
});
