import { expect, test } from 'vitest';
import { type Step, raw } from '../../../test/scripted.ts';
import { connect, errorOf, failed, fault, openCloud, page, retrieved } from '../../test/cloud.ts';

test.each<[string, Step, object]>([
  [
    'a fault of the server',
    fault('soap:Server', 'Something broke', 2),
    { kind: 'unavailable', outcome: 'unknown', code: '2', status: 500 },
  ],
  [
    'an outage',
    fault('soap:Server', 'Unplanned Outage', 2),
    { kind: 'unavailable', outcome: 'refused' },
  ],
  [
    'maintenance',
    fault('soap:Server', 'Member: 1 is In Maintenance', 9),
    { kind: 'unavailable', outcome: 'refused', code: '9' },
  ],
  [
    'no permission',
    fault('soap:Client', 'User is not authorized to use the API'),
    { kind: 'permission', outcome: 'refused' },
  ],
  [
    'a wrong request',
    fault('soap:Client', 'Unable to determine the action'),
    { kind: 'data', outcome: 'refused', code: 'Client' },
  ],
  [
    'throttling',
    fault('soap:Server', 'The request was throttled'),
    { kind: 'limit', outcome: 'refused', status: 500 },
  ],
  [
    'throttling without a fault',
    raw(500, 'Rate limit exceeded'),
    { kind: 'limit', outcome: 'refused', code: 'http_500' },
  ],
  ...[502, 503, 504].map((status): [string, Step, object] => [
    `a ${status} of a gateway whose page speaks of throttling`,
    raw(status, '<h1>Gateway</h1>Incident 7. See: throttling, maintenance and rate limits.'),
    { kind: 'unavailable', outcome: 'unknown', code: `http_${status}` },
  ]),
  ['a page', page(503), { kind: 'unavailable', outcome: 'unknown', code: 'http_503' }],
  ['a page that says 200', page(200), { code: 'invalid_answer', outcome: 'unknown' }],
  [
    'half an answer',
    raw(200, '<soap:Envelope><soap:Body><CreateResponse>'),
    { code: 'invalid_answer', outcome: 'unknown' },
  ],
  ['another answer', retrieved(''), { code: 'invalid_answer', outcome: 'unknown' }],
  [
    'a timeout of its database',
    failed('Execution Timeout Expired.', '0'),
    { kind: 'unavailable', outcome: 'unknown' },
  ],
  [
    'a field called Timeout',
    failed('Timeout is not a valid field name', '310007'),
    { kind: 'data', outcome: 'refused' },
  ],
  [
    'no permission for this',
    failed('API Permission Failed. Permission Names: X', '12001'),
    { kind: 'permission', code: '12001' },
  ],
])('%s, of a write', async (_what, step, facts) => {
  const cloud = await openCloud();
  cloud.otherwise(step);
  const query = {
    name: 'q',
    customerKey: 'q',
    sql: 's',
    target: { name: 't', customerKey: 't' },
  };
  expect(await errorOf(connect(cloud).unit.createQuery(query))).toMatchObject(facts);
});

test.each<[string, object]>([
  [
    'Error: The Request Property(s) Nonsense do not match with the fields of QueryDefinition retrieve',
    { kind: 'data', code: 'Error' },
  ],
  ['Has Errors', { kind: 'data' }],
  ['Error: Execution Timeout Expired. The timeout period elapsed', { kind: 'unavailable' }],
])('a Retrieve that ends with %s', async (overall, facts) => {
  const cloud = await openCloud();
  cloud.otherwise(retrieved('', overall));
  const error = await errorOf(connect(cloud).unit.findQuery('q'));
  expect(error).toMatchObject(facts);
  expect(error.message).toContain(overall.replace('Error: ', ''));
});

test('one that says "more" and gives nothing is no answer', async () => {
  const cloud = await openCloud();
  cloud.otherwise(retrieved('', 'MoreDataAvailable'));
  const error = await errorOf(connect(cloud).unit.findQuery('q'));
  expect(error).toMatchObject({ code: 'invalid_answer', retryable: true });
});
