import { expect, test } from 'vitest';
import { DATA, startWorld } from '../test/world.ts';

const S = `${DATA}/sobjects`;
const part = (method: string, url: string, referenceId: string, body?: unknown): unknown => ({
  method,
  url,
  referenceId,
  ...(body !== undefined && { body }),
});
const account = (referenceId: string, Name: unknown = referenceId): unknown =>
  part('POST', `${S}/Account`, referenceId, { Name });

test('a graph is a transaction; its neighbours are not touched', async () => {
  const world = await startWorld();
  const graphs = [
    {
      graphId: 'good',
      compositeRequest: [account('a'), part('PATCH', `${S}/Account/@{a.id}`, 'p', { Type: 'T' })],
    },
    { graphId: 'bad', compositeRequest: [account('a', 'lost'), account('b', null)] },
    { graphId: 'also', compositeRequest: [account('a', 'also')] },
  ];
  const { status, body } = await world.call('POST', '/composite/graph', { graphs });
  expect(status).toBe(200);
  expect(body.graphs.map((each) => [each.graphId, each.isSuccessful])).toEqual([
    ['good', true],
    ['bad', false],
    ['also', true],
  ]);
  expect(body.graphs[1]?.graphResponse.compositeResponse).toMatchObject([
    { referenceId: 'a', httpStatusCode: 400, body: [{ errorCode: 'PROCESSING_HALTED' }] },
    { referenceId: 'b', httpStatusCode: 400, body: [{ errorCode: 'REQUIRED_FIELD_MISSING' }] },
  ]);
  expect(world.org.records('Account').map((each) => each['Name'])).toEqual(['a', 'also']);
  expect(world.calls).toMatchObject({ total: 1, byResource: { graph: 1 } });
});

test.each([
  [
    '76 graphs',
    Array.from({ length: 76 }, (_, index) => ({
      graphId: `g${index}`,
      compositeRequest: [account('a')],
    })),
    'LIMIT_EXCEEDED',
  ],
  [
    '501 nodes',
    [
      {
        graphId: 'g',
        compositeRequest: Array.from({ length: 501 }, (_, index) => account(`a${index}`)),
      },
    ],
    'LIMIT_EXCEEDED',
  ],
  [
    'a query',
    [{ graphId: 'g', compositeRequest: [part('GET', `${DATA}/query?q=SELECT+Id+FROM+User`, 'q')] }],
    'INVALID_INPUT',
  ],
  [
    '16 sorts of nodes',
    ['Account', 'Contact', 'Opportunity', 'Case', 'Docgen_Lease__c', 'User'].flatMap((object) =>
      ['GET', 'PATCH', 'DELETE'].map((method) => ({
        graphId: `${object}${method}`,
        compositeRequest: [part(method, `${S}/${object}/001000000000000AAA`, 'a', {})],
      })),
    ),
    'LIMIT_EXCEEDED',
  ],
  [
    '16 levels',
    [
      {
        graphId: 'g',
        compositeRequest: Array.from({ length: 16 }, (_, level) =>
          account(`a${level}`, level === 0 ? 'first' : `after @{a${level - 1}.id}`),
        ),
      },
    ],
    'LIMIT_EXCEEDED',
  ],
  [
    'one graph twice',
    [1, 2].map(() => ({ graphId: 'g', compositeRequest: [account('a')] })),
    'INVALID_INPUT',
  ],
])('graphs refused: %s', async (_, graphs, errorCode) => {
  const world = await startWorld();
  const { status, body } = await world.call('POST', '/composite/graph', { graphs });
  expect([status, body[0]?.errorCode]).toEqual([400, errorCode]);
  expect(world.org.records('Account')).toEqual([]);
});

test('after more than 14 failures the rest is not tried', async () => {
  const world = await startWorld();
  const graphs = Array.from({ length: 18 }, (_, index) => ({
    graphId: `g${index}`,
    compositeRequest: [account('a'), account('b', index === 2 || index === 17 ? 'good' : null)],
  }));
  const { body } = await world.call('POST', '/composite/graph', { graphs });
  const codes = body.graphs.map((each) =>
    each.graphResponse.compositeResponse.map((one) => one.body[0]?.errorCode ?? 'done'),
  );
  const failed = ['PROCESSING_HALTED', 'REQUIRED_FIELD_MISSING'];
  const untried = ['PROCESSING_HALTED', 'PROCESSING_HALTED'];
  expect(codes).toEqual([
    failed,
    failed,
    ['done', 'done'],
    ...Array.from({ length: 13 }, () => failed),
    untried,
    untried,
  ]);
  expect(world.org.records('Account')).toHaveLength(2);
});

test('15 levels and 15 sorts of nodes will do', async () => {
  const world = await startWorld();
  const deep = Array.from({ length: 15 }, (_, level) =>
    account(`a${level}`, level === 0 ? 'first' : `after @{a${level - 1}.id}`),
  );
  const graphs = [
    { graphId: 'deep', compositeRequest: deep },
    ...['Contact', 'Opportunity', 'Case', 'Docgen_Lease__c', 'User', 'Task', 'Lead'].flatMap(
      (object) =>
        ['GET', 'PATCH'].map((method) => ({
          graphId: `${object}${method}`,
          compositeRequest: [part(method, `${S}/${object}/001000000000000AAA`, 'a', {})],
        })),
    ),
  ];
  const { status, body } = await world.call('POST', '/composite/graph', { graphs });
  expect([status, body.graphs[0]?.isSuccessful]).toEqual([200, true]);
});
