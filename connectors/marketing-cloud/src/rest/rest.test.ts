import { expect, test } from 'vitest';
import { type Step, json } from '../../../test/scripted.ts';
import { blocked, connect, errorOf, openCloud, page } from '../../test/cloud.ts';

test.each<[string, Step, object]>([
  [
    '404',
    json(404, { errorcode: 404, message: 'Not Found' }),
    { kind: 'notFound', outcome: 'refused', code: '404', retryable: false },
  ],
  [
    '403',
    json(403, { message: 'Insufficient privileges to complete this action.' }),
    { kind: 'permission', outcome: 'refused', code: 'http_403', retryable: false },
  ],
  [
    '400',
    json(400, { message: 'Wrong', errorcode: 10006, validationErrors: [{ message: 'No name' }] }),
    { kind: 'data', outcome: 'refused', code: '10006', message: 'Wrong No name' },
  ],
  [
    '400 of several errors',
    json(400, { message: 'Wrong', errorcode: 10006, additionalErrors: [{ message: 'Too long' }] }),
    { kind: 'data', outcome: 'refused', code: '10006', message: 'Wrong Too long' },
  ],
  [
    '409',
    json(409, { message: 'It is there', errorcode: 30004 }),
    { kind: 'duplicate', outcome: 'refused' },
  ],
  ['413 of a proxy', page(413), { kind: 'data', outcome: 'refused', code: 'http_413' }],
  [
    '500',
    json(500, { message: 'Oops', errorcode: 1 }),
    { kind: 'unavailable', outcome: 'unknown', retryable: true },
  ],
  ['404 of a gateway', page(404), { kind: 'unavailable', outcome: 'unknown', code: 'http_404' }],
  ['502 of a gateway', page(502), { kind: 'unavailable', outcome: 'unknown', status: 502 }],
  [
    '200 of a gateway',
    page(200),
    { kind: 'unavailable', outcome: 'unknown', code: 'invalid_answer' },
  ],
  ['200 that is a list', json(200, []), { code: 'invalid_answer' }],
  [
    '429 that blocks',
    blocked,
    { kind: 'limit', outcome: 'refused', code: '50200', retryAfterMs: null },
  ],
])('%s', async (_what, step, facts) => {
  const cloud = await openCloud();
  cloud.otherwise(step);
  expect(await errorOf(connect(cloud).unit.isRunning('q'))).toMatchObject(facts);
});

test('a message that quotes the token, or half a book, is made harmless', async () => {
  const cloud = await openCloud();
  cloud.otherwise(json(400, { message: `Token token-1 is bad. ${'x'.repeat(5_000)}` }));
  const { unit, lines, reports } = connect(cloud);
  const error = await errorOf(unit.isRunning('q'));
  expect(error.message).toMatch(/^Token \[secret\] is bad\. x+…$/);
  expect(error.message.length).toBeLessThan(1_100);
  expect(JSON.stringify([error.stack, lines, reports])).not.toContain('token-1');
});
