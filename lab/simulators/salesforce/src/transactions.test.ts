import { expect, test } from 'vitest';
import { DATA, type World, startWorld } from '../test/world.ts';

const S = `${DATA}/sobjects`;

/** Holds the next write of this kind before its commit, with its locks. Ends when it is held. */
async function holding(
  world: World,
  path: string,
  run: () => Promise<{ status: number; body: unknown }>,
): Promise<{ release(): void; done: Promise<{ status: number; body: unknown }> }> {
  const hold = world.faults.add({ kind: 'hold', path, times: 1 });
  const done = run();
  while (world.faults.list().find(({ id }) => id === hold.id)?.struck !== 1) {
    await world.query('SELECT Id FROM User');
  }
  return { release: () => void world.faults.remove(hold.id), done };
}

test('a plain PATCH is no lock: the second writer waits, and overwrites', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'start' });
  const patch = (Name: string) => world.call('PATCH', `/sobjects/Account/${id}`, { Name });
  const first = await holding(world, `Account/${id}`, () => patch('first'));
  const second = patch('second');
  await world.untilWaiting(1);
  expect(world.org.record(id)).toMatchObject({ Name: 'start' }); // nothing is committed yet
  first.release();
  expect((await first.done).status).toBe(204);
  expect((await second).status).toBe(204);
  expect(world.org.record(id)).toMatchObject({ Name: 'second' });
});

test('who waits writes over what it then finds, not over what was there before', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'start' });
  const path = `/sobjects/Account/${id}`;
  const first = await holding(world, `Account/${id}`, () =>
    world.call('PATCH', path, { Type: 'T' }),
  );
  const second = world.call('PATCH', path, { Name: 'second' });
  await world.untilWaiting(1);
  first.release();
  await second;
  expect(world.org.record(id)).toMatchObject({ Name: 'second', Type: 'T' });
});

test('a lock is waited for 10 seconds, then UNABLE_TO_LOCK_ROW', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'start' });
  const patch = () => world.call('PATCH', `/sobjects/Account/${id}`, { Name: 'x' });
  const first = await holding(world, `Account/${id}`, patch);
  const second = patch();
  await world.untilWaiting(1);
  world.advance(9999);
  expect(world.org.waiting).toBe(1);
  world.advance(1);
  const { status, body } = await second;
  expect(status).toBe(400);
  expect(body).toMatchObject([{ errorCode: 'UNABLE_TO_LOCK_ROW' }]);
  first.release();
  expect((await first.done).status).toBe(204);
});

test('in a collection without allOrNone only the row that is locked fails', async () => {
  const world = await startWorld();
  const a = await world.create('Account', { Name: 'A' });
  const b = await world.create('Account', { Name: 'B' });
  const first = await holding(world, `Account/${a}`, () =>
    world.call('PATCH', `/sobjects/Account/${a}`, { Name: 'x' }),
  );
  const records = [a, b].map((id) => ({ attributes: { type: 'Account' }, id, Type: 'T' }));
  const many = world.call('PATCH', '/composite/sobjects', { records });
  await world.untilWaiting(1);
  world.advance(10_000);
  expect((await many).body).toMatchObject([
    { success: false, errors: [{ statusCode: 'UNABLE_TO_LOCK_ROW' }] },
    { success: true },
  ]);
  first.release();
  await first.done;
});

test('two that wait for each other: the one that closes the circle fails at once', async () => {
  const world = await startWorld();
  const a = await world.create('Account', { Name: 'A' });
  const b = await world.create('Account', { Name: 'B' });
  const c = await world.create('Account', { Name: 'C' });
  const gate = await holding(world, `Account/${c}$`, () =>
    world.call('PATCH', `/sobjects/Account/${c}`, { Type: 'x' }),
  );
  const both = (ids: string[], Type: string) =>
    world.call('POST', '/composite', {
      allOrNone: true,
      compositeRequest: ids.map((id, index) => ({
        method: 'PATCH',
        url: `${S}/Account/${id}`,
        referenceId: `r${index}`,
        body: { Type },
      })),
    });
  const first = both([a, c, b], 'first'); // has a, waits for c
  await world.untilWaiting(1);
  const second = both([b, a], 'second'); // has b, waits for a
  await world.untilWaiting(2);
  gate.release(); // the first goes on to b
  const answers = (await Promise.all([first, second])).map(({ body }) =>
    body.compositeResponse.map((each: { httpStatusCode: number }) => each.httpStatusCode),
  );
  expect(answers).toEqual([
    [400, 400, 400],
    [204, 204],
  ]);
  expect(world.org.record(a)).toMatchObject({ Type: 'second' });
});

test('racing inserts of one unique value: the second waits, then is the duplicate', async () => {
  const world = await startWorld();
  const insert = () => world.call('POST', '/sobjects/Docgen_Lease__c', { Key__c: 'k' });
  const first = await holding(world, 'Docgen_Lease__c$', insert);
  const second = insert();
  await world.untilWaiting(1);
  first.release();
  expect((await first.done).status).toBe(201);
  expect((await second).body).toMatchObject([{ errorCode: 'DUPLICATE_VALUE' }]);
});

test('… and when the first is rolled back, the second has it', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'A' });
  const gate = await holding(world, `Account/${id}`, () =>
    world.call('PATCH', `/sobjects/Account/${id}`, { Type: 'x' }),
  );
  const first = world.call('POST', '/composite', {
    allOrNone: true,
    compositeRequest: [
      { method: 'POST', url: `${S}/Docgen_Lease__c`, referenceId: 'k', body: { Key__c: 'k' } },
      { method: 'PATCH', url: `${S}/Account/${id}`, referenceId: 'a', body: { Name: 'B' } },
    ],
  });
  await world.untilWaiting(1);
  world.advance(5000);
  const second = world.call('POST', '/sobjects/Docgen_Lease__c', { Key__c: 'k' });
  await world.untilWaiting(2);
  world.advance(5000); // the first has waited for the account too long
  expect((await first).body.compositeResponse).toMatchObject([
    { body: [{ errorCode: 'PROCESSING_HALTED' }] },
    { body: [{ errorCode: 'UNABLE_TO_LOCK_ROW' }] },
  ]);
  expect((await second).status).toBe(201);
  gate.release();
  await gate.done;
});

test('an upsert is not atomic: of two at once one is made, one is refused', async () => {
  const world = await startWorld();
  const upsert = () => world.call('PATCH', '/sobjects/Docgen_Lease__c/Key__c/k', {});
  const first = await holding(world, 'Key__c/k$', upsert);
  const second = upsert(); // it looked, found nothing, and goes on to insert
  await world.untilWaiting(1);
  first.release();
  expect((await first.done).status).toBe(201);
  expect((await second).body).toMatchObject([{ errorCode: 'DUPLICATE_VALUE' }]);
  expect((await upsert()).status).toBe(200);
});

test('FOR UPDATE waits for who changes the rows, and reads what they left', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'start' });
  const first = await holding(world, `Account/${id}`, () =>
    world.call('PATCH', `/sobjects/Account/${id}`, { Name: 'new' }),
  );
  const read = world.query('SELECT Name FROM Account FOR UPDATE');
  const plain = await world.query('SELECT Name FROM Account');
  expect(plain.body.records).toMatchObject([{ Name: 'start' }]);
  await world.untilWaiting(1);
  first.release();
  expect((await read).body.records).toMatchObject([{ Name: 'new' }]);
});

test('a delete that was waited for: the row is gone for the second', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'start' });
  const first = await holding(world, `Account/${id}`, () =>
    world.call('DELETE', `/sobjects/Account/${id}`),
  );
  const second = world.call('PATCH', `/sobjects/Account/${id}`, { Name: 'x' });
  await world.untilWaiting(1);
  first.release();
  expect((await second).body).toMatchObject([{ errorCode: 'ENTITY_IS_DELETED' }]);
});

test('each graph commits by itself: a later one that waits does not hold the earlier', async () => {
  const world = await startWorld();
  const a = await world.create('Account', { Name: 'A' });
  const b = await world.create('Account', { Name: 'B' });
  const first = await holding(world, `Account/${b}`, () =>
    world.call('PATCH', `/sobjects/Account/${b}`, { Type: 'x' }),
  );
  const graphs = [a, b].map((id) => ({
    graphId: id,
    compositeRequest: [
      { method: 'PATCH', url: `${S}/Account/${id}`, referenceId: 'p', body: { Name: 'new' } },
    ],
  }));
  const running = world.call('POST', '/composite/graph', { graphs });
  await world.untilWaiting(1);
  expect(world.org.record(a)).toMatchObject({ Name: 'new' });
  world.advance(10_000);
  expect((await running).body.graphs).toMatchObject([
    { isSuccessful: true },
    { isSuccessful: false },
  ]);
  first.release();
  await first.done;
});
