import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { START, startWorld } from '../test/world.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'org-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file keeps the org over a restart: records, files, unique values, numbers, the clock', async () => {
  const stateFile = join(folder, 'org.json');
  const first = await startWorld({ stateFile });
  await first.create('Docgen_Lease__c', { Key__c: 'k' });
  const gone = await first.create('Account', { Name: 'gone' });
  await first.call('DELETE', `/sobjects/Account/${gone}`);
  const version = await first.create('ContentVersion', {
    PathOnClient: 'a.bin',
    VersionData: '/wA=',
  });
  first.advance(5000);
  await first.create('Account', { Name: 'last' });
  const before = first.exportState();
  await first.close();
  expect(statSync(stateFile).mode & 0o777).toBe(0o600);

  const second = await startWorld({ stateFile });
  expect(second.exportState()).toEqual(before);
  expect(second.now()).toBe(START + 5000);
  expect(second.org.body(version)).toEqual(Buffer.from([255, 0]));
  const twice = await second.call('POST', '/sobjects/Docgen_Lease__c', { Key__c: 'k' });
  expect(twice.body).toMatchObject([{ errorCode: 'DUPLICATE_VALUE' }]);
  const next = await second.create('Docgen_Lease__c', { Key__c: 'l' });
  expect(second.org.record(next)).toMatchObject({ Name: 'L-00000003' }); // the refused one took a number
});

test('what was being written when the process died is not there; what was committed is', async () => {
  const stateFile = join(folder, 'org.json');
  const first = await startWorld({ stateFile });
  await first.create('Account', { Name: 'A' });
  await first.close();
  appendFileSync(stateFile, '{"offset":0,"serials":{},"rows":[{"Id":"001W');
  const second = await startWorld({ stateFile });
  expect(second.org.records('Account')).toMatchObject([{ Name: 'A' }]);
});

test('a file that is none is refused', async () => {
  const stateFile = join(folder, 'org.json');
  writeFileSync(stateFile, 'hello\nworld\n');
  await expect(startWorld({ stateFile })).rejects.toMatchObject({ code: 'invalid_option' });
});

test('a file that has grown too long is written again', async () => {
  const stateFile = join(folder, 'org.json');
  const world = await startWorld({ stateFile });
  const id = await world.org.insert('Generated_Document__c', {
    RequestJSON__c: 'x'.repeat(131_072),
  });
  for (let count = 0; count < 150; count += 1) await world.org.update(id, { Priority__c: count });
  expect(statSync(stateFile).size).toBeLessThan(10_000_000);
  const lines = readFileSync(stateFile, 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeLessThan(150);
  await world.close();
  const again = await startWorld({ stateFile });
  expect(again.org.record(id)).toMatchObject({ Priority__c: 149 });
});

test('export and import: the same org somewhere else', async () => {
  const one = await startWorld();
  const id = await one.create('Account', { Name: 'A' });
  const two = await startWorld();
  await two.create('Account', { Name: 'B' });
  two.importState(JSON.parse(JSON.stringify(one.exportState())));
  expect(two.org.records('Account')).toEqual([one.org.record(id)]);
  const next = await two.org.insert('Account', { Name: 'C' });
  expect(next).not.toBe(id);
  expect(() => two.importState({ ...one.exportState(), version: 2 as 1 })).toThrow('version 1');
});

test('an answer is dated by the org’s clock', async () => {
  const world = await startWorld();
  world.advance(60_000);
  const { headers } = await world.query('SELECT Id FROM User');
  expect(headers.get('date')).toBe('Wed, 20 May 2026 10:01:00 GMT');
});
