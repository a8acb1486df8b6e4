import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  MID,
  OTHER_MID,
  field,
  performMessage,
  startDuckdbWorld,
  startWorld,
  statusMessage,
} from '../test/world.ts';
import { QueryError } from './index.ts';

const SQL = 'SELECT name FROM People';
/** DuckDB would work on it for hours. */
const ENDLESS =
  'SELECT CAST(COUNT(*) AS VARCHAR(20)) AS name FROM _Sent a CROSS JOIN _Sent b CROSS JOIN _Sent c WHERE a.EventDate + b.JobID > c.EventDate';

test('queued, running, complete, and the rows a while later', async () => {
  const world = await startWorld({ queueMs: 60_000, runMs: 300_000, rowsAfterMs: 10_000 });
  const taskId = await world.startQuery(SQL);
  expect(await world.statusOf(taskId)).toEqual({
    TaskID: taskId,
    Status: 'Queued',
    StatusMessage: null,
    ErrorMsg: null,
    StartDate: null,
    CompletedDate: null,
  });
  world.advance(60_000);
  expect(await world.statusOf(taskId)).toMatchObject({
    Status: 'Processing',
    StartDate: '2026-05-20T04:01:00.789',
    CompletedDate: null,
  });
  world.advance(300_000);
  await world.settled();
  expect(await world.statusOf(taskId)).toMatchObject({
    Status: 'Complete',
    CompletedDate: '2026-05-20T04:06:00.789',
  });
  const rows = () => world.rest('GET', '/data/v1/customobjectdata/key/t1/rowset');
  expect((await rows()).body).toMatchObject({ count: 0 });
  world.advance(10_000);
  expect((await rows()).body).toMatchObject({ count: 1, items: [{ values: { name: 'Ada' } }] });
});

test('one jump of the clock is as good as many steps', async () => {
  const world = await startWorld({ queueMs: 60_000, runMs: 300_000 });
  const taskId = await world.startQuery(SQL);
  world.advance(400_000);
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({ CompletedDate: '2026-05-20T04:06:00.789' });
});

test('isrunning is false while queued, true while running, false after', async () => {
  const world = await startWorld({ queueMs: 1000, runMs: 1000 });
  const id = await world.makeQuery(SQL);
  const running = async () =>
    (await world.rest('GET', `/automation/v1/queries/${id}/actions/isrunning/`)).body.isRunning;
  expect((await world.rest('POST', `/automation/v1/queries/${id}/actions/start/`)).text).toBe(
    '"OK"',
  );
  expect(await running()).toBe(false);
  world.advance(1000);
  expect(await running()).toBe(true);
  world.advance(1000);
  await world.settled();
  expect(await running()).toBe(false);
});

test('no more run at once than there are places', async () => {
  const world = await startWorld({ concurrency: 2, runMs: 1000 });
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push(await world.startQuery(SQL));
  const states = async () =>
    (await Promise.all(ids.map((id) => world.statusOf(id)))).map(({ Status }) => Status);
  expect(await states()).toEqual(['Processing', 'Processing', 'Queued', 'Queued', 'Queued']);
  world.advance(1000);
  await world.settled();
  expect(await states()).toEqual(['Complete', 'Complete', 'Processing', 'Processing', 'Queued']);
});

test('a query that runs for longer than half an hour is stopped', async () => {
  const world = await startWorld({ runMs: 1_800_000 });
  const taskId = await world.startQuery(SQL);
  world.advance(1_799_999);
  await world.settled();
  expect(await world.statusOf(taskId)).toMatchObject({ Status: 'Processing' });
  world.advance(1);
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({
    Status: 'Error',
    ErrorMsg: expect.stringContaining('longer than 30 minutes'),
  });
});

test('a statement that DuckDB works on for too long is interrupted', async () => {
  const world = await startDuckdbWorld({ sampleSize: 0.05, killAfterMs: 1000 });
  await world.taskEnded(await world.startQuery('SELECT COUNT(*) AS name FROM _Sent'));
  const taskId = await world.startQuery(ENDLESS);
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({ Status: 'Error' });
  await world.settled();
});

test('queries that work for long leave the process its threads: files are read, SQL is checked', async () => {
  const world = await startDuckdbWorld({ sampleSize: 0.05, killAfterMs: 20_000 });
  await world.taskEnded(await world.startQuery('SELECT COUNT(*) AS name FROM _Sent'));
  const tasks: string[] = [];
  for (let count = 0; count < 5; count += 1) tasks.push(await world.startQuery(ENDLESS));
  const sql = { Text: 'SELECT SubscriberKey FROM _Sent' };
  const checked = await world.rest('POST', '/automation/v1/queries/actions/validate/', sql);
  expect(checked.body).toMatchObject({ queryValid: true });
  await stat(import.meta.dirname);
  for (const task of tasks)
    expect(await world.statusOf(task)).toMatchObject({ Status: 'Processing' });
});

test('names as data extensions in use have them, and an alias with a space at its end', async () => {
  const world = await startDuckdbWorld();
  world.unit(MID).addDataExtension({
    name: 'Sales & Service',
    fields: ['CampaignMember:Id', 'Customer’s Name', 'Año'].map((name) => ({ name })),
    rows: [{ 'CampaignMember:Id': '00v', 'Customer’s Name': 'Ada', Año: '1815' }],
  });
  const taskId = await world.startQuery(
    'SELECT [CampaignMember:Id], [Customer’s Name], Año, 1 AS [Total ] FROM [Sales & Service]',
    {
      key: 'names',
      fields: ['CampaignMember:Id', 'Customer’s Name', 'Año', 'Total'].map((name) => field(name)),
    },
  );
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({ Status: 'Complete', ErrorMsg: null });
  const { body } = await world.rest('GET', '/data/v1/customobjectdata/key/names/rowset');
  expect(body.items[0].values).toEqual({
    'campaignmember:id': '00v',
    'customer’s name': 'Ada',
    año: '1815',
    total: '1',
  });
});

test('a query that gives more rows than can be kept is an error, and says whose', async () => {
  const world = await startDuckdbWorld({ sampleSize: 0.05, mostValues: 1000 });
  const pairs =
    'SELECT a.SubscriberKey AS name FROM _Sent a JOIN _Sent b ON a.AccountID = b.AccountID';
  const taskId = await world.startQuery(pairs);
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({
    Status: 'Error',
    ErrorMsg: expect.stringContaining('more than 1,000 rows, which the simulated Marketing Cloud'),
  });
  const some = await world.startQuery('SELECT TOP 1000 SubscriberKey AS name FROM _Sent');
  await world.taskEnded(some);
  expect(await world.statusOf(some)).toMatchObject({ Status: 'Complete' });
});

test('results have room together, and what is deleted makes room', async () => {
  const rows = Array.from({ length: 10 }, () => ({ name: 'Ada' }));
  const runSql = async () => ({ columns: ['name'], rows });
  const world = await startWorld({ mostValues: 10, runSql });
  const ended = async (key: string) => {
    const taskId = await world.startQuery(SQL, { key });
    await world.taskEnded(taskId);
    return (await world.statusOf(taskId))['Status'];
  };
  for (const key of ['one', 'two', 'three', 'four']) expect(await ended(key)).toBe('Complete');
  expect(await ended('five')).toBe('Error');
  await world.soap(
    'Delete',
    '<DeleteRequest><Objects xsi:type="DataExtension"><CustomerKey>one</CustomerKey></Objects></DeleteRequest>',
  );
  expect(await ended('six')).toBe('Complete');
});

test('what a query does wrong is the ErrorMsg of its task', async () => {
  const world = await startWorld({
    runSql: async () => {
      throw new QueryError("Invalid column name 'nmae'.");
    },
  });
  const taskId = await world.startQuery(SQL);
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({
    Status: 'Error',
    ErrorMsg: expect.stringContaining('nmae'),
  });
});

const number = field('n', 'Number', '');
const key = field('name', 'Text', '<MaxLength>5</MaxLength><IsPrimaryKey>true</IsPrimaryKey>');

test.each<[string, string[], Record<string, string | null>[], string]>([
  [
    'a column that the target has not',
    [field('other')],
    [{ name: 'a' }],
    "Invalid column name 'name'.",
  ],
  [
    'a text that is too long',
    [field('name', 'Text', '<MaxLength>2</MaxLength>')],
    [{ name: 'abc' }],
    'String or binary data would be truncated',
  ],
  ['no number', [number], [{ n: 'abc' }], "converting the varchar value 'abc' to data type int"],
  ['a number that is too large', [number], [{ n: '3000000000' }], 'Arithmetic overflow'],
  ['no date', [field('n', 'Date', '')], [{ n: 'soon' }], 'converting date and/or time'],
  [
    'nothing where something is required',
    [field('n', 'Text', '<IsRequired>true</IsRequired>')],
    [{ n: null }],
    'Cannot insert the value NULL',
  ],
  [
    'the same key twice',
    [key],
    [{ name: 'a' }, { name: 'A' }],
    'Violation of PRIMARY KEY constraint',
  ],
  ['a column without a name', [number], [{ '': '1' }], 'No column name was specified'],
])('values must fit the target: %s', async (_, fields, rows, message) => {
  const columns = Object.keys(rows[0] ?? {});
  const world = await startWorld({ runSql: async () => ({ columns, rows }) });
  const taskId = await world.startQuery(SQL, { fields });
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({
    Status: 'Error',
    ErrorMsg: expect.stringContaining(message),
  });
});

test('overwrite, append and update', async () => {
  let rows = [{ name: 'a', n: '1' }];
  const world = await startWorld({ runSql: async () => ({ columns: ['name', 'n'], rows }) });
  const fields = [key, number];
  const again = async (id: string) => {
    const { text } = await world.soap('Perform', performMessage(id));
    const taskId = /<ID>(\d+)<\/ID>/.exec(text)?.[1] ?? '';
    return (await world.taskEnded(taskId))?.status;
  };
  const shown = (of: string) =>
    world
      .unit(MID)
      .dataExtension(of)
      ?.rows.map(({ name, n }) => `${name}${n}`);
  const made: Record<string, string> = {};
  for (const updateType of ['Overwrite', 'Append', 'Update']) {
    made[updateType] = await world.makeQuery(SQL, { fields, updateType, key: updateType });
    expect(await again(made[updateType])).toBe('Complete');
  }
  rows = [
    { name: 'A', n: '2' },
    { name: 'b', n: '3' },
  ];
  expect(await again(made['Overwrite'] ?? '')).toBe('Complete');
  expect(shown('Overwrite')).toEqual(['A2', 'b3']);
  expect(await again(made['Append'] ?? '')).toBe('Error');
  expect(shown('Append')).toEqual(['a1']);
  expect(await again(made['Update'] ?? '')).toBe('Complete');
  expect(shown('Update')).toEqual(['A2', 'b3']);
});

test('many statuses by one call, each business unit its own', async () => {
  const world = await startWorld();
  const ids = [await world.startQuery(SQL), await world.startQuery(SQL)];
  const theirs = await world.startQuery(SQL, { mid: OTHER_MID });
  const { text } = await world.soap('Retrieve', statusMessage([...ids, theirs, '5']));
  expect([...text.matchAll(/<Value>(\d+)<\/Value>/g)].map(([, id]) => id)).toEqual(ids);
});

test('a clock that runs faster', async () => {
  const world = await startWorld({ now: Date.now, speed: 10_000, queueMs: 60_000, runMs: 60_000 });
  const taskId = await world.startQuery(SQL);
  const ended = await world.taskEnded(taskId);
  expect((ended?.completedAt ?? 0) - (ended?.queuedAt ?? 0)).toBeGreaterThanOrEqual(120_000);
});
