import { expect, test } from 'vitest';
import { APEX, START, type World, startWorld } from '../test/world.ts';

const NOW = '2026-05-20T10:00:00.000+0000';
const FREE = { LeaseToken__c: null, LockedUntil__c: null, ClaimId__c: null };

/** A document that a worker has, and its token. */
async function leased(
  world: World,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; token: string }> {
  const id = await world.org.insert('Generated_Document__c', {
    Status__c: 'PROCESSING',
    Epoch__c: 7,
    LockedUntil__c: new Date(START + 60_000).toISOString(),
    ClaimId__c: 'w/1',
    RequestJSON__c: '{}',
    Error__c: 'before',
    ErrorCode__c: 'before',
    ...fields,
  });
  const token = `${id}:7`;
  await world.org.update(id, { LeaseToken__c: token });
  return { id, token };
}

const complete = (world: World, ...outcomes: unknown[]) =>
  world.call('POST', `${APEX}/complete`, { outcomes });

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    'succeed',
    { result: '{"pages":1}' },
    {
      Status__c: 'SUCCEEDED',
      FinishedAt__c: NOW,
      Result__c: '{"pages":1}',
      Error__c: null,
      ErrorCode__c: null,
      Attempts__c: 0,
    },
  ],
  [
    'fail',
    { error: 'No.', errorCode: 'e' },
    { Status__c: 'FAILED', FinishedAt__c: NOW, Error__c: 'No.', ErrorCode__c: 'e', Attempts__c: 1 },
  ],
  ['cancel', {}, { Status__c: 'CANCELED', FinishedAt__c: NOW, Attempts__c: 0 }],
  [
    'retry',
    { error: 'No.', errorCode: 'e', delaySeconds: 4.2 },
    {
      Status__c: 'QUEUED',
      FinishedAt__c: null,
      Error__c: 'No.',
      Attempts__c: 1,
      ScheduledRetryTime__c: '2026-05-20T10:00:05.000+0000',
    },
  ],
  [
    'retry',
    { error: 'No.', delaySeconds: 0 },
    { Status__c: 'QUEUED', ErrorCode__c: null, ScheduledRetryTime__c: null },
  ],
  [
    'defer',
    { delaySeconds: 9, requestJson: '{"step":2}' },
    {
      Status__c: 'QUEUED',
      Attempts__c: 0,
      RequestJSON__c: '{"step":2}',
      ScheduledRetryTime__c: '2026-05-20T10:00:09.000+0000',
    },
  ],
  [
    'defer',
    {},
    { Status__c: 'QUEUED', RequestJSON__c: '{}', ScheduledRetryTime__c: null, Error__c: null },
  ],
  [
    'handBack',
    { delaySeconds: 9 },
    { Status__c: 'QUEUED', Attempts__c: 0, ScheduledRetryTime__c: null, Error__c: 'before' },
  ],
  ['succeed', { clearRequest: true }, { Status__c: 'SUCCEEDED', RequestJSON__c: null }],
])('complete: %s %o', async (move, more, expected) => {
  const world = await startWorld();
  const { id, token } = await leased(world);
  const { body } = await complete(world, { id, token, move, ...more });
  expect(body).toEqual({ now: START, answers: ['settled'] });
  expect(world.org.record(id)).toMatchObject({ ...FREE, SettledToken__c: token, ...expected });
});

test.each(['retry', 'defer', 'handBack'])(
  'complete: %s of one that was asked to stop ends it',
  async (move) => {
    const world = await startWorld();
    const { id, token } = await leased(world, { CancelRequested__c: true });
    const { body } = await complete(world, { id, token, move, delaySeconds: 5 });
    expect(body.answers).toEqual(['canceled']);
    expect(world.org.record(id)).toMatchObject({
      ...FREE,
      Status__c: 'CANCELED',
      FinishedAt__c: NOW,
      ScheduledRetryTime__c: null,
    });
  },
);

test.each(['succeed', 'fail', 'cancel', 'retry', 'defer', 'handBack'])(
  'complete: %s of a suspect: only a hand-back leaves it one',
  async (move) => {
    const world = await startWorld();
    const { id, token } = await leased(world, { Suspect__c: true });
    expect((await complete(world, { id, token, move })).body.answers).toEqual(['settled']);
    expect(world.org.record(id)).toMatchObject({ Suspect__c: move === 'handBack' });
  },
);

test('complete again: already; by another: stale; each row stands alone', async () => {
  const world = await startWorld();
  const one = await leased(world);
  const two = await leased(world);
  const three = await leased(world);
  await complete(world, { ...one, move: 'succeed' });
  const { body } = await complete(
    world,
    { ...one, move: 'fail' },
    { ...two, token: `${two.id}:6`, move: 'succeed' },
    { ...three, move: 'succeed' },
    { ...three, move: 'fail' },
    { id: 'a03Wz00000000zzIAA', token: 'x', move: 'succeed' },
  );
  expect(body.answers).toEqual(['already', 'stale', 'settled', 'already', 'stale']);
  expect(world.org.record(one.id)).toMatchObject({ Status__c: 'SUCCEEDED' });
  expect(world.org.record(two.id)).toMatchObject({ Status__c: 'PROCESSING' });
  expect(world.org.record(three.id)).toMatchObject({ Status__c: 'SUCCEEDED' });
});

test('complete: a row that cannot be written says why, and keeps its lease', async () => {
  const world = await startWorld();
  const bad = await leased(world);
  const good = await leased(world);
  const { body } = await complete(
    world,
    { ...bad, move: 'succeed', result: 'x'.repeat(131_073) },
    { ...good, move: 'succeed' },
  );
  expect(body).toMatchObject({
    answers: ['stale', 'settled'],
    failures: { [bad.id]: expect.stringContaining('data value too large') },
  });
  expect(world.org.record(bad.id)).toMatchObject({
    Status__c: 'PROCESSING',
    LeaseToken__c: bad.token,
  });
});

test('renew: renewed, asked to stop, stale; held even when it has run out', async () => {
  const world = await startWorld();
  const plain = await leased(world);
  const stopping = await leased(world, { CancelRequested__c: true });
  const late = await leased(world, { LockedUntil__c: new Date(START - 5000).toISOString() });
  const other = await leased(world);
  const { body } = await world.call('POST', `${APEX}/renew`, {
    leaseSeconds: 120,
    leases: [
      { id: plain.id, epoch: 7 },
      { id: other.id, epoch: 6 },
      { id: stopping.id, epoch: 7 },
      { id: late.id, epoch: 7 },
    ],
  });
  expect(body).toEqual({ now: START, answers: ['renewed', 'stale', 'cancel', 'renewed'] });
  for (const { id } of [plain, stopping, late]) {
    expect(world.org.record(id)).toMatchObject({
      LockedUntil__c: '2026-05-20T10:02:00.000+0000',
      ClaimId__c: null,
    });
  }
  expect(world.org.record(other.id)).toMatchObject({
    LockedUntil__c: '2026-05-20T10:01:00.000+0000',
  });
});

test('renew: a lock that cannot be had is an error, never a stale lease', async () => {
  const world = await startWorld();
  const { id } = await leased(world);
  world.faults.add({ kind: 'lock', record: id, times: 1 });
  const { status, body } = await world.call('POST', `${APEX}/renew`, {
    leaseSeconds: 60,
    leases: [{ id, epoch: 7 }],
  });
  expect([status, body[0]?.errorCode]).toEqual([400, 'UNABLE_TO_LOCK_ROW']);
});

test('cancel: what waits or failed ends, what runs is asked, the rest is left alone', async () => {
  const world = await startWorld();
  const { id: running } = await leased(world);
  const make = (Status__c: string) => world.org.insert('Generated_Document__c', { Status__c });
  const [queued, failed, done] = [
    await make('QUEUED'),
    await make('FAILED'),
    await make('SUCCEEDED'),
  ];
  const ids = [running, queued, failed, done, queued];
  const { body } = await world.call('POST', `${APEX}/cancel`, { ids });
  expect(body).toEqual({ canceled: [queued, failed], requested: [running] });
  expect(world.org.record(queued)).toMatchObject({ Status__c: 'CANCELED', FinishedAt__c: NOW });
  expect(world.org.record(running)).toMatchObject({
    Status__c: 'PROCESSING',
    CancelRequested__c: true,
  });
  expect(world.org.record(done)).toMatchObject({ Status__c: 'SUCCEEDED' });
});

test('retry: with fresh attempts', async () => {
  const world = await startWorld();
  const before = {
    Attempts__c: 4,
    Error__c: 'e',
    ErrorCode__c: 'e',
    Result__c: 'r',
    FinishedAt__c: NOW,
    CancelRequested__c: true,
  };
  const failed = await world.org.insert('Generated_Document__c', {
    ...before,
    Status__c: 'FAILED',
  });
  const done = await world.org.insert('Generated_Document__c', {
    ...before,
    Status__c: 'SUCCEEDED',
  });
  const { body } = await world.call('POST', `${APEX}/retry`, { ids: [failed, done] });
  expect(body).toEqual({ retried: [failed] });
  expect(world.org.record(failed)).toMatchObject({
    Status__c: 'QUEUED',
    Attempts__c: 0,
    Error__c: null,
    ErrorCode__c: null,
    Result__c: null,
    FinishedAt__c: null,
    CancelRequested__c: false,
  });
});

test.each([
  [
    'complete',
    { outcomes: [{ id: 'a03Wz00000000zzIAA', token: 't', move: 'explode' }] },
    'There is no move explode.',
  ],
  [
    'complete',
    { outcomes: [{ id: '001Wz00000000zzIAA', token: 't', move: 'fail' }] },
    'id must be the Id of a Generated_Document__c.',
  ],
  [
    'complete',
    { outcomes: Array.from({ length: 201 }, () => ({})) },
    'outcomes may have 200 at most.',
  ],
  ['renew', { leases: [{ id: 'a03Wz00000000zzIAA' }], leaseSeconds: 1 }, 'epoch is missing.'],
  ['cancel', { ids: ['x'] }, 'ids must be the Id of a Generated_Document__c.'],
])('a bad body of %s', async (action, body, message) => {
  const world = await startWorld();
  const answer = await world.call('POST', `${APEX}/${action}`, body);
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual([{ errorCode: 'BAD_REQUEST', message }]);
});
