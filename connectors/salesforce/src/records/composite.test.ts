import { describe, expect, test } from 'vitest';
import { json, losesAnswer } from '../../../test/scripted.ts';
import { connect, errorOf, openOrg } from '../../test/org.ts';
import type { Subrequest } from '../types.ts';

const node = (n: number, url = 'sobjects/X__c'): Subrequest => ({
  method: 'POST',
  url,
  referenceId: `n${n}`,
  body: { n },
});

describe('a composite request', () => {
  test('has absolute addresses and keeps its order', async () => {
    const org = await openOrg();
    const response = (referenceId: string, httpStatusCode: number) => ({
      referenceId,
      httpStatusCode,
      body: { id: referenceId },
      httpHeaders: {},
    });
    org.will(json(200, { compositeResponse: [response('n1', 201), response('n2', 204)] }));
    const { salesforce } = connect(org);
    const answers = await salesforce.composite(
      [node(1), { method: 'GET', url: '/services/data/v60.0/limits', referenceId: 'n2' }],
      { allOrNone: true },
    );
    expect(answers.map(({ httpStatusCode }) => httpStatusCode)).toEqual([201, 204]);
    expect(JSON.parse(org.seen[0]?.body ?? '')).toEqual({
      allOrNone: true,
      collateSubrequests: false,
      compositeRequest: [
        {
          method: 'POST',
          url: '/services/data/v59.0/sobjects/X__c',
          referenceId: 'n1',
          body: { n: 1 },
        },
        { method: 'GET', url: '/services/data/v60.0/limits', referenceId: 'n2' },
      ],
    });
  });

  test.each([
    ['26 parts', Array.from({ length: 26 }, (_, n) => node(n))],
    ['6 queries', Array.from({ length: 6 }, (_, n) => node(n, 'query?q=SELECT'))],
    ['6 collections', Array.from({ length: 6 }, (_, n) => node(n, 'composite/sobjects'))],
  ])('of %s is refused', async (_what, parts) => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.composite(parts, { allOrNone: false }));
    expect(error).toMatchObject({ code: 'too_many_subrequests', outcome: 'notSent' });
    expect(org.seen).toHaveLength(0);
  });

  test('whose answer is lost or not whole is in doubt', async () => {
    const org = await openOrg();
    org.will(losesAnswer, json(200, { compositeResponse: [] }));
    const { salesforce } = connect(org);
    for (const code of ['unreachable', 'invalid_answer']) {
      const error = await errorOf(salesforce.composite([node(1)], { allOrNone: true }));
      expect(error).toMatchObject({ code, outcome: 'unknown' });
    }
    expect(await salesforce.composite([], { allOrNone: true })).toEqual([]);
  });
});
