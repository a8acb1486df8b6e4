import { describe, expect, test } from 'vitest';
import { json } from '../../../test/scripted.ts';
import {
  CREATED,
  ID,
  connect,
  errorOf,
  failed,
  openCloud,
  retrieved,
  soap,
} from '../../test/cloud.ts';

// Bodies as the documents of the SOAP API show them, and as tenants answered.

const QUERY = {
  name: 'Query',
  customerKey: 'mr_q_1',
  sql: 'SELECT 1 AS a',
  target: { customerKey: 'mr_1', name: 'Result' },
};

describe('a query', () => {
  test('is created by SOAP', async () => {
    const cloud = await openCloud();
    cloud.will(soap('CreateResponse', CREATED));
    expect(await connect(cloud).unit.createQuery(QUERY)).toEqual({ objectId: ID });
    expect(cloud.seen[0]?.body).toContain(
      '<Objects xsi:type="QueryDefinition"><CustomerKey>mr_q_1</CustomerKey><Name>Query</Name><QueryText>SELECT 1 AS a</QueryText><TargetType>DE</TargetType><DataExtensionTarget><CustomerKey>mr_1</CustomerKey><Name>Result</Name></DataExtensionTarget><TargetUpdateType>Overwrite</TargetUpdateType></Objects>',
    );
  });

  const exception = failed('Exception occurred during [CreateQueryDefinition] ErrorID: 12', '2');

  test('is created by REST where SOAP answers a generic exception', async () => {
    const cloud = await openCloud();
    cloud.will(exception, json(200, { queryDefinitionId: ID, key: 'mr_q_1' }));
    expect(await connect(cloud).unit.createQuery({ ...QUERY, folderId: '12' })).toEqual({
      objectId: ID,
    });
    const sent = cloud.seen[1];
    expect([sent?.method, sent?.path, sent?.headers['authorization']]).toEqual([
      'POST',
      '/automation/v1/queries',
      'Bearer token-1',
    ]);
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      name: 'Query',
      key: 'mr_q_1',
      queryText: 'SELECT 1 AS a',
      targetKey: 'mr_1',
      targetUpdateTypeId: 0,
      categoryId: 12,
    });
  });

  test('of no folder is created by REST in the uppermost one, which is looked for once', async () => {
    const cloud = await openCloud();
    const folders =
      '<Results><ID>8</ID><ParentFolder><ID>9</ID></ParentFolder></Results><Results><ID>9</ID><ParentFolder><ID>0</ID></ParentFolder></Results>';
    const made = json(200, { queryDefinitionId: ID });
    cloud.will(exception, retrieved(folders), made, exception, made);
    const { unit } = connect(cloud);
    await unit.createQuery(QUERY);
    await unit.createQuery(QUERY);
    expect(JSON.parse(cloud.seen[2]?.body ?? '')).toMatchObject({ categoryId: 9 });
    expect(cloud.seen).toHaveLength(5);
  });

  test('without any folder says what SOAP said, and that it may be there', async () => {
    const cloud = await openCloud();
    cloud.will(exception, retrieved(''));
    expect(await errorOf(connect(cloud).unit.createQuery(QUERY))).toMatchObject({
      code: '2',
      kind: 'unavailable',
      outcome: 'unknown',
    });
  });

  test('that SOAP had created in spite of its exception is a duplicate for REST', async () => {
    const cloud = await openCloud();
    cloud.will(exception, json(400, { errorcode: 30003, message: 'Key already exists.' }));
    const error = await errorOf(connect(cloud).unit.createQuery({ ...QUERY, folderId: '12' }));
    expect(error).toMatchObject({ code: '30003', kind: 'duplicate', outcome: 'refused' });
  });

  test('key is not longer than 36 characters', async () => {
    const { unit } = connect({ url: 'http://127.0.0.1:1' });
    const error = await errorOf(unit.createQuery({ ...QUERY, customerKey: 'k'.repeat(37) }));
    expect(error).toMatchObject({ code: 'invalid_id', outcome: 'notSent', retryable: false });
  });

  test('is started by its ObjectID and gives a task', async () => {
    const cloud = await openCloud();
    const done = (task: string): string =>
      `<Results><Result><StatusCode>OK</StatusCode><StatusMessage>QueryDefinition perform called successfully</StatusMessage><Object xsi:type="QueryDefinition"><ObjectID>${ID}</ObjectID></Object>${task}</Result></Results><OverallStatus>OK</OverallStatus>`;
    cloud.will(
      soap(
        'PerformResponseMsg',
        done(
          '<Task><StatusCode>OK</StatusCode><ID>0401</ID><InteractionObjectID>x</InteractionObjectID></Task>',
        ),
      ),
      soap('PerformResponseMsg', done('')),
      soap(
        'PerformResponseMsg',
        '<Results><Result><StatusCode>Error</StatusCode><StatusMessage>The query is not found.</StatusMessage><ErrorCode>0</ErrorCode></Result></Results><OverallStatus>Error</OverallStatus>',
      ),
    );
    const { unit, reports } = connect(cloud);
    expect(await unit.startQuery(ID)).toEqual({ taskId: '0401' });
    expect(cloud.seen[0]?.body).toContain(
      `<Action>Start</Action><Definitions><Definition xsi:type="QueryDefinition"><ObjectID>${ID}</ObjectID></Definition></Definitions>`,
    );
    expect(reports[0]?.operation).toBe('soap:Perform QueryDefinition');
    expect(await errorOf(unit.startQuery(ID))).toMatchObject({ outcome: 'unknown' });
    expect(await errorOf(unit.startQuery(ID))).toMatchObject({ kind: 'notFound' });
  });

  test('says whether it is running, and nothing else counts as an answer', async () => {
    const cloud = await openCloud();
    cloud.will(json(200, { queryDefinitionId: ID, isRunning: false }));
    const { unit, reports } = connect(cloud);
    expect(await unit.isRunning(ID)).toBe(false);
    expect(cloud.seen[0]?.path).toBe(`/automation/v1/queries/${ID}/actions/isrunning/`);
    expect(reports[0]?.operation).toBe('rest:isrunning');
    cloud.otherwise(json(200, { isRunning: 'no' }));
    expect(await errorOf(unit.isRunning(ID))).toMatchObject({ code: 'invalid_answer' });
    expect(await errorOf(unit.isRunning('..'))).toMatchObject({ code: 'invalid_id' });
  });

  test('is validated', async () => {
    const cloud = await openCloud();
    const errors = ['Only SELECT queries are valid', { message: 'X is not known' }];
    cloud.will(json(200, { queryValid: false, errors, warnings: null }));
    expect(await connect(cloud).unit.validate('DELETE x')).toEqual({
      valid: false,
      errors: ['Only SELECT queries are valid', 'X is not known'],
      warnings: [],
    });
    expect(JSON.parse(cloud.seen[0]?.body ?? '')).toEqual({ Text: 'DELETE x' });
  });

  test('is found and listed by key, and deleted by ObjectID', async () => {
    const cloud = await openCloud();
    const one = `<Results><ObjectID>${ID}</ObjectID><CustomerKey>mr_q_1</CustomerKey><Name>Q</Name><CreatedDate>2026-01-01T00:00:00</CreatedDate></Results>`;
    cloud.will(
      retrieved(one),
      retrieved(one),
      soap('DeleteResponse', '<Results><StatusCode>OK</StatusCode></Results>'),
      failed('Object does not exist', '0', 'DeleteResponse'),
    );
    const { unit } = connect(cloud);
    const query = {
      objectId: ID,
      customerKey: 'mr_q_1',
      name: 'Q',
      createdAt: '2026-01-01T00:00:00',
    };
    expect(await unit.findQuery('mr_q_1')).toEqual(query);
    expect(await unit.queries('mr_')).toEqual([query]);
    expect(await unit.deleteQuery(ID)).toBe(true);
    expect(await unit.deleteQuery(ID)).toBe(false);
  });
});
