import { describe, expect, test } from 'vitest';
import { type Step, json, losesAnswer } from '../../../test/scripted.ts';
import { connect, errorOf, openOrg } from '../../test/org.ts';

interface Sent {
  allOrNone: boolean;
  records: { attributes: { type: string }; n: number; id?: string }[];
}

const sent = (body: string | undefined): Sent => JSON.parse(body ?? '') as Sent;

/** Answers each record with its own number as id. */
const saves: Step = (exchange) =>
  json(
    200,
    sent(exchange.seen.body).records.map(({ n }) => ({ id: `id-${n}`, success: true, errors: [] })),
  )(exchange);

const records = (count: number): { n: number }[] =>
  Array.from({ length: count }, (_, n) => ({ n }));

describe('collections', () => {
  test('go in calls of 200, and answers keep the order of the rows', async () => {
    const org = await openOrg();
    org.otherwise(saves);
    const { salesforce } = connect(org);
    const answers = await salesforce.collections.create('X__c', records(450));
    expect(answers.map(({ id }) => id)).toEqual(records(450).map(({ n }) => `id-${n}`));
    expect(org.seen.map(({ body }) => sent(body).records.length)).toEqual([200, 200, 50]);
    expect(org.seen[0]).toMatchObject({
      method: 'POST',
      path: '/services/data/v59.0/composite/sobjects',
    });
    expect(sent(org.seen[0]?.body)).toMatchObject({
      allOrNone: false,
      records: expect.arrayContaining([{ attributes: { type: 'X__c' }, n: 0 }]) as unknown,
    });
  });

  test('tell of each row how it went', async () => {
    const org = await openOrg();
    const error = { statusCode: 'DUPLICATE_VALUE', message: 'duplicate value', fields: ['Key__c'] };
    org.will(
      json(200, [
        { id: 'a', success: true, created: true, errors: [] },
        { success: false, errors: [error] },
      ]),
    );
    const { salesforce } = connect(org);
    const rows = [{ Key__c: '1' }, { Key__c: '2' }];
    expect(await salesforce.collections.upsert('X__c', 'Key__c', rows)).toEqual([
      { id: 'a', success: true, created: true, errors: [] },
      { id: null, success: false, errors: [error] },
    ]);
    expect(org.seen[0]).toMatchObject({
      method: 'PATCH',
      path: '/services/data/v59.0/composite/sobjects/X__c/Key__c',
    });
  });

  test('update by id, and remove', async () => {
    const org = await openOrg();
    org.will(saves, json(200, [{ id: 'a', success: true, errors: [] }]));
    const { salesforce } = connect(org);
    await salesforce.collections.update('X__c', [{ Id: 'a', n: 1 }], { allOrNone: true });
    expect(org.seen[0]?.method).toBe('PATCH');
    expect(sent(org.seen[0]?.body)).toEqual({
      allOrNone: true,
      records: [{ attributes: { type: 'X__c' }, id: 'a', n: 1 }],
    });
    await salesforce.collections.remove(['a']);
    expect(org.seen[1]).toMatchObject({
      method: 'DELETE',
      path: '/services/data/v59.0/composite/sobjects?ids=a&allOrNone=false',
    });
    expect(await salesforce.collections.remove([])).toEqual([]);
    expect(org.seen).toHaveLength(2);
  });

  test('that fail in the middle stop there, and are in doubt', async () => {
    const org = await openOrg();
    org.will(saves, json(400, [{ errorCode: 'INVALID_TYPE', message: 'x' }]));
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.collections.create('X__c', records(600)));
    expect(error).toMatchObject({ code: 'INVALID_TYPE', outcome: 'unknown' });
    expect(org.seen).toHaveLength(2);

    org.will(json(400, [{ errorCode: 'INVALID_TYPE', message: 'x' }]));
    const first = await errorOf(salesforce.collections.create('X__c', records(1)));
    expect(first.outcome).toBe('refused');
  });

  test('are repeated after a lost answer only when that does no harm', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    org.will(losesAnswer);
    const lost = await errorOf(salesforce.collections.create('X__c', records(1)));
    expect(lost.outcome).toBe('unknown');
    org.will(losesAnswer, saves);
    const options = { repeatable: true };
    expect(await salesforce.collections.create('X__c', records(1), options)).toHaveLength(1);
  });

  test('without an answer for each row are no success', async () => {
    const org = await openOrg();
    org.will(json(200, [{ id: 'a', success: true }]));
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.collections.create('X__c', records(2)));
    expect(error).toMatchObject({ code: 'invalid_answer', outcome: 'unknown' });
  });

  test('cannot be all or none beyond one call', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    const options = { allOrNone: true };
    const error = await errorOf(salesforce.collections.create('X__c', records(201), options));
    expect(error).toMatchObject({ code: 'too_many_rows', outcome: 'notSent' });
    expect(org.seen).toHaveLength(0);
  });
});
