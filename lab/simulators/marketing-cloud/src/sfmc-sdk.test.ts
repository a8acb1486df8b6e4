import SDK from 'sfmc-sdk';
import { expect, test } from 'vitest';
import { CLIENT, MID, OTHER_MID, type World, startWorld } from '../test/world.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- its types are those of JSON of every shape
type Sdk = { soap: any; rest: any; auth: any };

function connect(world: World, mid = MID): Sdk {
  return new SDK(
    {
      client_id: CLIENT.clientId,
      client_secret: CLIENT.secret,
      auth_url: world.sdkAuthUrl,
      account_id: mid,
    },
    { requestAttempts: 2, retryOnConnectionError: false },
  );
}

const NAME = { Name: 'name', FieldType: 'Text', MaxLength: 50 };

async function makeQuery({ soap }: Sdk): Promise<string> {
  const target = { Name: 'Target', CustomerKey: 'target' };
  await soap.create('DataExtension', { ...target, Fields: { Field: [NAME] } });
  const made = await soap.create('QueryDefinition', {
    Name: 'Query',
    CustomerKey: 'query',
    QueryText: "SELECT name FROM People WHERE name <> '' AND 1 < 2",
    TargetType: 'DE',
    DataExtensionTarget: target,
    TargetUpdateType: 'Overwrite',
  });
  return made.Results[0].NewObjectID;
}

test('a query from the data extension to its rows', async () => {
  const world = await startWorld({ queueMs: 1000, runMs: 5000 });
  const sdk = connect(world);
  const objectId = await makeQuery(sdk);
  const started = await sdk.soap.perform('QueryDefinition', 'Start', { ObjectID: objectId });
  expect(started.OverallStatus).toBe('OK');
  const { Task } = started.Results[0].Result;
  expect(Task.StatusCode).toBe('OK');

  const statusOf = async (): Promise<Record<string, unknown>> => {
    const found = await sdk.soap.retrieve('AsyncActivityStatus', ['Status', 'CompletedDate'], {
      filter: { leftOperand: 'TaskID', operator: 'equals', rightOperand: String(Task.ID) },
    });
    const properties: { Name: string; Value?: unknown }[] = found.Results[0].Properties.Property;
    return Object.fromEntries(properties.map(({ Name, Value }) => [Name, Value]));
  };
  const running = () => sdk.rest.get(`automation/v1/queries/${objectId}/actions/isrunning/`);

  expect(await statusOf()).toEqual({ Status: 'Queued', CompletedDate: undefined });
  expect(await running()).toEqual({ queryDefinitionId: objectId, isRunning: false });
  world.advance(1000);
  expect(await statusOf()).toMatchObject({ Status: 'Processing' });
  expect(await running()).toMatchObject({ isRunning: true });
  world.advance(5000);
  await world.taskEnded(String(Task.ID));
  expect(await statusOf()).toEqual({
    Status: 'Complete',
    CompletedDate: '2026-05-20T04:00:06.789',
  });
  const rows = await sdk.rest.getBulk('data/v1/customobjectdata/key/target/rowset', 100);
  expect(rows.items).toEqual([{ keys: {}, values: { name: 'Ada' } }]);
});

test('objects are found, changed and deleted', async () => {
  const world = await startWorld();
  const sdk = connect(world);
  const objectId = await makeQuery(sdk);
  const found = await sdk.soap.retrieve(
    'QueryDefinition',
    ['ObjectID', 'QueryText', 'DataExtensionTarget.CustomerKey'],
    {
      filter: {
        leftOperand: { leftOperand: 'CustomerKey', operator: 'equals', rightOperand: 'query' },
        operator: 'AND',
        rightOperand: { leftOperand: 'Status', operator: 'equals', rightOperand: 'Active' },
      },
    },
  );
  expect(found.Results).toMatchObject([
    {
      ObjectID: objectId,
      QueryText: "SELECT name FROM People WHERE name <> '' AND 1 < 2",
      DataExtensionTarget: { CustomerKey: 'target' },
    },
  ]);
  const fields = await sdk.soap.retrieve('DataExtensionField', ['Name', 'FieldType', 'MaxLength'], {
    filter: {
      leftOperand: 'DataExtension.CustomerKey',
      operator: 'equals',
      rightOperand: 'target',
    },
  });
  expect(fields.Results).toMatchObject([{ Name: 'name', FieldType: 'Text', MaxLength: 50 }]);
  await sdk.soap.update('DataExtension', { CustomerKey: 'target', Description: 'changed' });
  expect(world.unit(MID).dataExtension('target')?.description).toBe('changed');
  await sdk.soap.delete('QueryDefinition', { ObjectID: objectId });
  await sdk.soap.delete('DataExtension', { CustomerKey: 'target' });
  expect(world.unit(MID).queries()).toEqual([]);
  expect(world.unit(MID).dataExtensions()).toEqual([]);
});

test('all batches are read', async () => {
  const world = await startWorld({ batchSize: 2 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    world.unit(MID).addDataExtension({ name, customerKey: name, fields: [{ name: 'x' }] });
  }
  const all = await connect(world).soap.retrieveBulk('DataExtension', ['CustomerKey']);
  expect(all.Results.map(({ CustomerKey }: { CustomerKey: string }) => CustomerKey)).toEqual([
    'a',
    'b',
    'c',
    'd',
    'e',
  ]);
  expect(world.calls.byOperation).toEqual({ 'auth:token': 1, 'soap:Retrieve DataExtension': 3 });
});

test('queries by REST: create, get, validate, start, delete', async () => {
  const world = await startWorld();
  const { rest } = connect(world);
  world.unit(MID).addDataExtension({ name: 'T', customerKey: 'T', fields: [{ name: 'name' }] });
  const body = {
    name: 'R',
    key: 'r',
    queryText: 'SELECT 1 AS name',
    targetKey: 'T',
    targetUpdateTypeId: 2,
    categoryId: 1002,
  };
  const made = await rest.post('automation/v1/queries', body);
  expect(made).toMatchObject({ ...body, targetUpdateTypeName: 'Append', targetName: 'T' });
  const path = `automation/v1/queries/${made.queryDefinitionId}`;
  expect((await rest.get(path)).queryText).toBe('SELECT 1 AS name');
  expect(
    await rest.post('automation/v1/queries/actions/validate/', { Text: 'SELECT 1 AS a' }),
  ).toEqual({
    queryValid: true,
    errors: [],
    warnings: [],
  });
  expect(await rest.post(`${path}/actions/start/`, {})).toBe('OK');
  await rest.delete(path);
  await expect(rest.get(path)).rejects.toMatchObject({ code: 404 });
});

test('an expired token is replaced, by SOAP and by REST', async () => {
  const world = await startWorld({ tokenSeconds: 1079 });
  const sdk = connect(world);
  const look = () => sdk.soap.retrieve('DataExtension', ['Name']);
  await look();
  world.advance(1_079_000);
  await look();
  world.expireTokens();
  expect(await sdk.rest.get('automation/v1/queries')).toMatchObject({ count: 0 });
  expect(world.calls.tokens).toBe(3);
});

test('a token serves its own MID', async () => {
  const world = await startWorld();
  world
    .unit(OTHER_MID)
    .addDataExtension({ name: 'Theirs', customerKey: 'theirs', fields: [{ name: 'x' }] });
  const names = async (mid: string) =>
    (await connect(world, mid).soap.retrieve('DataExtension', ['Name'])).Results;
  expect(await names(MID)).toBeUndefined();
  expect(await names(OTHER_MID)).toMatchObject([{ Name: 'Theirs' }]);
});

test('refusals arrive as errors with their words', async () => {
  const world = await startWorld();
  const { soap } = connect(world);
  await expect(soap.retrieve('DataExtension', ['Bogus'])).rejects.toThrow(
    'The Request Property(s) Bogus do not match with the fields of DataExtension retrieve',
  );
  await soap.create('DataExtension', { Name: 'A', CustomerKey: 'A', Fields: { Field: [NAME] } });
  await expect(
    soap.create('DataExtension', { Name: 'A', CustomerKey: 'A', Fields: { Field: [NAME] } }),
  ).rejects.toMatchObject({ json: { OverallStatus: 'Error', Results: [{ ErrorCode: 310_003 }] } });
  await expect(soap.perform('QueryDefinition', 'Start', { CustomerKey: 'A' })).rejects.toThrow();
});
