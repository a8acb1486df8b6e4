import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { CLIENT, MID, type World, startWorld } from '../test/world.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- it has no types
type Fuel = any;
type Callback = (error: Error | null, answer: Fuel) => void;

/** Without types, and CommonJS. */
const Client = createRequire(import.meta.url)('sfmc-fuelsdk-node') as new (
  id: string,
  secret: string,
  stack: string | null,
  options: object,
) => Fuel;

function connect(world: World): Fuel {
  const { origin } = world;
  return new Client(CLIENT.clientId, CLIENT.secret, null, {
    origin,
    authOrigin: origin,
    soapOrigin: `${origin}/Service.asmx`,
    authOptions: { authVersion: 2, accountId: MID, applicationType: 'server' },
  });
}

/** What comes before `.com/` it replaces by rest_instance_url, and it finds no other end of a host. */
const NAMED_HOST = 'https://www.exacttargetapis.com/';

/** Its callbacks as a promise of the body. */
function done(call: (callback: Callback) => void): Promise<Fuel> {
  return new Promise((resolve, reject) => {
    call((error, answer) => (error === null ? resolve(answer.body) : reject(error)));
  });
}

test('a query from the data extension to its rows', async () => {
  const world = await startWorld({ runMs: 5000 });
  const client = connect(world);
  const columns = [
    { Name: 'name', FieldType: 'Text', MaxLength: 50, IsPrimaryKey: 'true', IsRequired: 'true' },
  ];
  const props = { Name: 'Target', CustomerKey: 'target' };
  const made = await done((call) => client.dataExtension({ props, columns }).post(call));
  expect(made.Results).toMatchObject([{ StatusCode: 'OK', NewID: '0' }]);
  const query = await done((call) =>
    client.SoapClient.create(
      'QueryDefinition',
      {
        Name: 'Query',
        CustomerKey: 'query',
        QueryText: "SELECT name\r\nFROM People WHERE name <> '&'",
        TargetType: 'DE',
        DataExtensionTarget: props,
        TargetUpdateType: 'Overwrite',
      },
      call,
    ),
  );
  const [{ NewObjectID: ObjectID }] = query.Results;
  expect(world.unit(MID).queries()[0]?.queryText).toContain("WHERE name <> '&'");

  const started = await done((call) =>
    client.SoapClient.perform('QueryDefinition', { ObjectID }, call),
  );
  const { ID } = started.Results[0].Result.Task;
  const status = async () => {
    const filter = { leftOperand: 'TaskID', operator: 'equals', rightOperand: ID };
    const body = await done((call) =>
      client.SoapClient.retrieve('AsyncActivityStatus', ['Status', 'ErrorMsg'], { filter }, call),
    );
    return body.Results[0].Properties.Property;
  };
  expect(await status()).toEqual([{ Name: 'Status', Value: 'Processing' }, { Name: 'ErrorMsg' }]);
  world.advance(5000);
  await world.taskEnded(ID);
  expect(await status()).toEqual([{ Name: 'Status', Value: 'Complete' }, { Name: 'ErrorMsg' }]);
  const rows = await done((call) =>
    client.RestClient.get(`${NAMED_HOST}data/v1/customobjectdata/key/target/rowset`, call),
  );
  expect(rows).toMatchObject({ count: 1, items: [{ keys: { name: 'Ada' }, values: {} }] });
});

test('data extensions and their columns are found, changed and deleted', async () => {
  const world = await startWorld();
  const client = connect(world);
  const columns = [{ Name: 'name', FieldType: 'Text' }];
  const props = { Name: 'Target', CustomerKey: 'target' };
  await done((call) => client.dataExtension({ props, columns }).post(call));
  const filter = { leftOperand: 'CustomerKey', operator: 'IN', rightOperand: ['target', 'other'] };
  const found = await done((call) =>
    client.dataExtension({ props: ['Name', 'CustomerKey'], filter }).get(call),
  );
  expect(found.Results).toMatchObject([{ Name: 'Target', CustomerKey: 'target' }]);
  const fields = await done((call) =>
    client
      .dataExtensionColumn({
        props: ['Name', 'FieldType'],
        filter: {
          leftOperand: 'DataExtension.CustomerKey',
          operator: 'equals',
          rightOperand: 'target',
        },
      })
      .get(call),
  );
  expect(fields.Results).toMatchObject([{ Name: 'name', FieldType: 'Text' }]);
  const more = [{ Name: 'more', FieldType: 'Number' }];
  await done((call) =>
    client.dataExtension({ props: { CustomerKey: 'target' }, columns: more }).patch(call),
  );
  expect(
    world
      .unit(MID)
      .dataExtension('target')
      ?.fields.map(({ name }) => name),
  ).toEqual(['name', 'more']);
  await done((call) => client.dataExtension({ props: { CustomerKey: 'target' } }).delete(call));
  expect(world.unit(MID).dataExtensions()).toEqual([]);
});

test('an expired token is known for what it is', async () => {
  const world = await startWorld();
  const client = connect(world);
  const look = () => done((call) => client.dataExtension({ props: ['Name'] }).get(call));
  await look();
  world.expireTokens();
  await expect(look()).rejects.toMatchObject({
    faultstring: 'Token Expired',
    faultCode: 'q0:Security',
  });
  // It asks a second time, as it does for this fault alone; with the token it has, until its time is up.
  expect(world.calls.byOperation).toEqual({ 'auth:token': 1, 'soap:Retrieve DataExtension': 3 });
});
