import { expect, test } from 'vitest';
import { APEX, type Answer, START, type World, startWorld } from '../test/world.ts';

const document = (world: World, fields: Record<string, unknown> = {}): Promise<string> =>
  world.org.insert('Generated_Document__c', fields);

function claim(world: World, more: Record<string, unknown> = {}) {
  return world.call('POST', `${APEX}/claim`, {
    worker: 'w',
    claimId: '1',
    replay: false,
    leaseSeconds: 60,
    wants: [{ kind: null, limit: 10 }],
    limit: 10,
    minPriority: null,
    maxAttempts: 4,
    ...more,
  });
}

const at = (ms: number): string => new Date(ms).toISOString();
const idsOf = (answer: Pick<Answer, 'body'>): string[] => answer.body.jobs.map(({ id }) => id);

const CLAIM = {
  worker: 'other',
  claimId: '2',
  leaseSeconds: 60,
  wants: [{ kind: null, limit: 10 }],
  limit: 10,
  maxAttempts: 4,
};

test('a claim that comes in between before the lock: no document is given twice', async () => {
  const world = await startWorld();
  const ids = [await document(world), await document(world)];
  const between = world.inBetween('millrace/v1/claim', CLAIM);
  const first = await claim(world);
  const { body } = (await between) as { body: Answer['body'] };
  expect(idsOf({ body }).toSorted()).toEqual(ids.toSorted());
  expect(idsOf(first)).toEqual([]);
  expect(first.body).toMatchObject({ more: true });
  for (const { id, epoch } of body.jobs)
    expect(world.org.record(id)).toMatchObject({ LeaseToken__c: `${id}:${epoch}` });
});

test('a renewal that comes in between before a take-over has its lock: the lease stays', async () => {
  const world = await startWorld();
  const id = await document(world);
  const { body } = await claim(world);
  const { epoch } = body.jobs[0] as { epoch: number };
  world.advance(61_000);
  const between = world.inBetween('millrace/v1/renew', {
    leases: [{ id, epoch }],
    leaseSeconds: 60,
  });
  const other = await claim(world, { claimId: '2' });
  expect((await between).body).toMatchObject({ answers: ['renewed'] });
  expect(other.body).toMatchObject({ takenOver: 0, jobs: [] });
  expect(world.org.record(id)).toMatchObject({ LeaseToken__c: `${id}:${epoch}` });
});

test('version: the interface and the clock', async () => {
  const world = await startWorld();
  world.advance(11);
  expect((await world.call('GET', `${APEX}/version`)).body).toEqual({
    version: '1',
    now: START + 11,
  });
});

test('what a claimed document looks like, in the answer and in its row', async () => {
  const world = await startWorld();
  const id = await document(world, {
    RequestJSON__c: '{"a":1}',
    Priority__c: 3,
    CorrelationId__c: 'c',
    Subject__c: 's',
    Traceparent__c: 't',
    Attempts__c: 1,
    Epoch__c: 5,
  });
  const { status, body } = await claim(world);
  expect(status).toBe(200);
  expect(body).toEqual({
    now: START,
    jobs: [
      {
        id,
        epoch: START,
        kind: null,
        attempt: 2,
        maxAttempts: 4,
        priority: 3,
        createdAt: START - 789,
        correlationId: 'c',
        submitter: 'integration@sandbox.test',
        subject: 's',
        suspect: false,
        traceparent: 't',
        requestJson: '{"a":1}',
      },
    ],
    lost: [],
    takenOver: 0,
    more: false,
    suspects: false,
    nextDue: null,
  });
  expect(world.org.record(id)).toMatchObject({
    Status__c: 'PROCESSING',
    Epoch__c: START,
    LeaseToken__c: `${id}:${START}`,
    LockedUntil__c: '2026-05-20T10:01:00.000+0000',
    ClaimId__c: 'w/1',
    Worker__c: 'w',
    StartedAt__c: '2026-05-20T10:00:00.000+0000',
    Attempts__c: 1,
  });
});

test('an epoch only grows, even where the clock does not', async () => {
  const world = await startWorld();
  await document(world, { Epoch__c: START + 10 });
  expect((await claim(world)).body.jobs[0]?.epoch).toBe(START + 11);
});

test('what is due, in order: highest priority, none last, then oldest', async () => {
  const world = await startWorld();
  const old = '2026-05-20T08:00:00Z';
  const plain = await document(world);
  const high = await document(world, { Priority__c: 5 });
  const older = await document(world, { Priority__c: 5, CreatedDate: old });
  const past = await document(world, { ScheduledRetryTime__c: at(START - 1000), CreatedDate: old });
  const soon = START - 789 + 5000;
  await document(world, { ScheduledRetryTime__c: at(soon) });
  await document(world, { ScheduledRetryTime__c: at(soon + 9000) });
  await document(world, { Status__c: 'FAILED' });
  await document(world, { Kind__c: 'other', ScheduledRetryTime__c: at(soon - 1000) });
  const answer = await claim(world);
  expect(idsOf(answer)).toEqual([older, high, past, plain]);
  expect(answer.body).toMatchObject({ more: false, nextDue: soon });
});

test('kinds: each has its limit, and all together have one', async () => {
  const world = await startWorld();
  const a1 = await document(world, { Kind__c: 'a' });
  const a2 = await document(world, { Kind__c: 'a', Priority__c: 1 });
  await document(world, { Kind__c: 'b' });
  const n1 = await document(world);
  const wants = [
    { kind: 'a', limit: 1 },
    { kind: null, limit: 5 },
  ];
  const first = await claim(world, { wants });
  expect(idsOf(first)).toEqual([a2, n1]);
  expect(first.body.more).toBe(true); // the limit of a
  const second = await claim(world, { wants, claimId: '2', limit: 1 });
  expect(idsOf(second)).toEqual([a1]);
  const third = await claim(world, { wants, claimId: '3' });
  expect(idsOf(third)).toEqual([]);
  expect(third.body.more).toBe(false);
});

test('minPriority: those without one are not meant', async () => {
  const world = await startWorld();
  await document(world);
  await document(world, { Priority__c: 1 });
  const high = await document(world, { Priority__c: 2 });
  expect(idsOf(await claim(world, { minPriority: 2 }))).toEqual([high]);
});

test('replay: what the claim was given and still has, and nothing new', async () => {
  const world = await startWorld();
  const kept = await document(world, { RequestJSON__c: 'x' });
  const settled = await document(world);
  const first = await claim(world);
  await document(world);
  const token = `${settled}:${first.body.jobs[1]?.epoch}`;
  await world.call('POST', `${APEX}/complete`, {
    outcomes: [{ id: settled, token, move: 'succeed' }],
  });
  const again = await claim(world, { replay: true });
  expect(again.body.jobs).toEqual([first.body.jobs[0]]);
  expect(again.body.jobs[0]).toMatchObject({ id: kept, requestJson: 'x' });
  expect(again.body).toMatchObject({ more: true, takenOver: 0, nextDue: null });
  expect(idsOf(await claim(world, { replay: true, claimId: 'never came' }))).toEqual([]);
});

test('take-over: put back, ended, or lost; never a row without LockedUntil', async () => {
  const world = await startWorld();
  const expired = {
    Status__c: 'PROCESSING',
    LockedUntil__c: at(START - 1000),
    Worker__c: 'x',
  };
  const again = await document(world, { ...expired, LeaseToken__c: '1', Kind__c: 'other' });
  const ended = await document(world, { ...expired, LeaseToken__c: '2', CancelRequested__c: true });
  const lost = await document(world, {
    ...expired,
    LeaseToken__c: '3',
    Attempts__c: 1,
    MaxAttempts__c: 2,
    Suspect__c: true,
    CorrelationId__c: 'c',
  });
  const held = await document(world, {
    ...expired,
    LeaseToken__c: '4',
    LockedUntil__c: at(START + 1000),
  });
  const open = await document(world, { ...expired, LeaseToken__c: '5', LockedUntil__c: null });
  const { body } = await claim(world);
  expect(body).toMatchObject({
    jobs: [],
    takenOver: 2,
    lost: [{ id: lost, kind: null, attempt: 2, correlationId: 'c' }],
  });
  const free = { LeaseToken__c: null, LockedUntil__c: null, ClaimId__c: null };
  expect(world.org.record(again)).toMatchObject({
    ...free,
    Status__c: 'QUEUED',
    Attempts__c: 1,
    Suspect__c: true,
  });
  expect(world.org.record(ended)).toMatchObject({
    ...free,
    Status__c: 'CANCELED',
    Attempts__c: 1,
    FinishedAt__c: '2026-05-20T10:00:00.000+0000',
  });
  expect(world.org.record(lost)).toMatchObject({
    ...free,
    Status__c: 'FAILED',
    Attempts__c: 2,
    Suspect__c: false,
    ErrorCode__c: 'worker_lost',
    FinishedAt__c: '2026-05-20T10:00:00.000+0000',
  });
  expect(world.org.record(held)).toMatchObject({ Status__c: 'PROCESSING', LeaseToken__c: '4' });
  expect(world.org.record(open)).toMatchObject({ Status__c: 'PROCESSING', LeaseToken__c: '5' });
});

test('take-over: what was not begun loses nothing, and a neighbour gets one more execution', async () => {
  const world = await startWorld();
  const over = { Status__c: 'PROCESSING', LockedUntil__c: at(START - 1000), MaxAttempts__c: 2 };
  const waited = { ...over, ClaimId__c: 'x/1', Attempts__c: 1, Suspect__c: true };
  const notBegun = await document(world, { ...waited, LeaseToken__c: '1' });
  const neighbour = await document(world, { ...over, LeaseToken__c: '2', Attempts__c: 1 });
  const { body } = await claim(world);
  expect(body).toMatchObject({ jobs: [], lost: [], takenOver: 2, suspects: true });
  for (const id of [notBegun, neighbour])
    expect(world.org.record(id)).toMatchObject({
      Status__c: 'QUEUED',
      Attempts__c: 1,
      Suspect__c: true,
    });
});

test('a suspect is claimed alone, in the same call as it is taken over, and by no other claim', async () => {
  const world = await startWorld();
  const [one, two] = [await document(world), await document(world)];
  await claim(world);
  const waiting = await document(world);
  world.advance(61_000);
  const alone = await claim(world, { worker: 'v', alone: true });
  expect(alone.body).toMatchObject({
    takenOver: 2,
    suspects: true,
    jobs: [{ id: one, attempt: 1, suspect: true, epoch: START + 61_000 }],
  });
  const others = await claim(world, { worker: 'v' });
  expect(idsOf(others)).toEqual([waiting]);
  expect(others.body).toMatchObject({ suspects: true, jobs: [{ suspect: false }] });
  const last = await claim(world, { worker: 'v', alone: true, limit: 20 });
  expect(idsOf(last)).toEqual([two]);
  expect(last.body.suspects).toBe(false);
});

test.each([
  ['another kind', { Kind__c: 'other' }],
  ['a later moment', { ScheduledRetryTime__c: at(START + 60_000) }],
  ['too low a priority', { Priority__c: 1 }],
])('a suspect of %s is not mentioned', async (_, fields) => {
  const world = await startWorld();
  await document(world, { Suspect__c: true, ...fields });
  expect((await claim(world, { minPriority: 2 })).body).toMatchObject({ suspects: false });
});

test('requests are given while they stay under a million letters together', async () => {
  const world = await startWorld();
  for (let count = 0; count < 9; count += 1) {
    await document(world, { RequestJSON__c: 'x'.repeat(120_000) });
  }
  const { body } = await claim(world);
  const given = body.jobs.map(({ requestJson }) => requestJson !== null);
  expect(given).toEqual([true, true, true, true, true, true, true, true, false]);
});

test('two claims at once queue up at the lock: no document is given twice', async () => {
  const world = await startWorld();
  const all: string[] = [];
  for (let count = 0; count < 6; count += 1) all.push(await document(world));
  const hold = world.faults.add({ kind: 'hold', path: 'claim$', times: 1 });
  const first = claim(world, { worker: 'a', limit: 2 });
  while (world.faults.list()[0]?.struck !== 1) await world.query('SELECT Id FROM User');
  const second = claim(world, { worker: 'b', limit: 2 });
  await world.untilWaiting(1);
  world.faults.remove(hold.id);
  expect(idsOf(await first)).toEqual(all.slice(0, 2));
  expect(idsOf(await second)).toEqual(all.slice(2, 4)); // it had asked for more than it wanted
});

test('many workers at once: each document once', async () => {
  const world = await startWorld();
  for (let count = 0; count < 40; count += 1) await document(world);
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, index) => claim(world, { worker: `w${index}`, limit: 10 })),
  );
  const given = claims.flatMap(idsOf);
  expect(given.length).toBeGreaterThan(0);
  expect(new Set(given).size).toBe(given.length);
  const leased = world.org
    .records('Generated_Document__c')
    .filter((row) => row['Status__c'] === 'PROCESSING');
  expect(leased).toHaveLength(given.length);
});

test('a lock that cannot be had means fewer rows, not an error', async () => {
  const world = await startWorld();
  const id = await document(world);
  const hold = world.faults.add({ kind: 'hold', method: 'PATCH', times: 1 });
  const patch = world.call('PATCH', `/sobjects/Generated_Document__c/${id}`, { Priority__c: 1 });
  while (world.faults.list()[0]?.struck !== 1) await world.query('SELECT Id FROM User');
  const claiming = claim(world);
  await world.untilWaiting(1);
  world.advance(10_000);
  expect((await claiming).body).toMatchObject({ jobs: [], more: true });
  world.faults.remove(hold.id);
  expect((await patch).status).toBe(204);
});

test.each([
  ['no body', '', 'The body is not JSON'],
  ['no object', '[]', 'The body must be a JSON object.'],
  ['no worker', { worker: '' }, 'worker is missing.'],
  ['no whole number', { leaseSeconds: 1.5 }, 'leaseSeconds must be a whole number.'],
  ['too many', { limit: 201 }, 'limit must be from 0 to 200.'],
  ['no list', { wants: {} }, 'wants must be a list.'],
  [
    'a kind twice',
    {
      wants: [
        { kind: 'a', limit: 1 },
        { kind: 'a', limit: 1 },
      ],
    },
    'The kind a is wanted twice.',
  ],
  [
    'too many kinds',
    { wants: Array.from({ length: 21 }, (_, n) => ({ kind: `k${n}`, limit: 1 })) },
    'wants may have 20 at most.',
  ],
])('a bad body: %s', async (_, change, message) => {
  const world = await startWorld();
  const { status, body } =
    typeof change === 'string'
      ? await world.call('POST', `${APEX}/claim`, change)
      : await claim(world, change);
  expect(status).toBe(400);
  expect(body).toEqual([{ errorCode: 'BAD_REQUEST', message: expect.stringContaining(message) }]);
});

test('other addresses and methods', async () => {
  const world = await startWorld();
  expect((await world.call('GET', `${APEX}/claim`)).body).toMatchObject([
    { errorCode: 'BAD_REQUEST' },
  ]);
  expect((await world.call('POST', `${APEX}/nothing`, {})).body).toMatchObject([
    { errorCode: 'BAD_REQUEST' },
  ]);
  expect((await world.call('PUT', `${APEX}/claim`, {})).status).toBe(405);
  const { status, body } = await world.call('GET', '/services/apexrest/other');
  expect(status).toBe(404);
  expect(body).toEqual([{ errorCode: 'NOT_FOUND', message: 'Could not find a match for URL' }]);
});

test('it is for the integration user alone', async () => {
  const world = await startWorld();
  const form = { grant_type: 'client_credentials', client_id: 'ada', client_secret: 'p%ss: wörd+' };
  const { access_token: token } = (await world.token(form)).body;
  const { status, body } = await world.call('GET', `${APEX}/version`, undefined, {
    authorization: `Bearer ${token}`,
  });
  expect([status, body[0]?.errorCode]).toEqual([403, 'INSUFFICIENT_ACCESS']);
});
