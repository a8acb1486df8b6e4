import { describe, expect, test } from 'vitest';
import { json } from '../../../test/scripted.ts';
import { connect, errorOf, openOrg, refuses } from '../../test/org.ts';

const rows = (from: number, count: number): { n: number }[] =>
  Array.from({ length: count }, (_, index) => ({ n: from + index }));

const page = (records: unknown[], next?: string) =>
  json(200, {
    totalSize: 9,
    done: next === undefined,
    records,
    ...(next !== undefined && { nextRecordsUrl: next }),
  });

const NEXT = '/services/data/v59.0/query/01gD0000002HU6KIAW-2000';

describe('a query', () => {
  test('follows its pages', async () => {
    const org = await openOrg();
    org.will(page(rows(0, 3), NEXT), page(rows(3, 2), `${NEXT}0`), page(rows(5, 1)));
    const { salesforce } = connect(org);
    expect(await salesforce.query("SELECT Id FROM X__c WHERE N = 'ü+&'")).toEqual(rows(0, 6));
    expect(org.seen.map(({ path }) => path)).toEqual([
      `/services/data/v59.0/query?q=${encodeURIComponent("SELECT Id FROM X__c WHERE N = 'ü+&'")}`,
      NEXT,
      `${NEXT}0`,
    ]);
    expect(salesforce.stats().byRoute).toEqual({ query: 3 });
  });

  test('stops at the most that is wanted, and asks for pages no larger', async () => {
    const org = await openOrg();
    org.will(page(rows(0, 300), NEXT), page(rows(300, 300), `${NEXT}0`));
    const { salesforce } = connect(org);
    expect(await salesforce.query('SELECT', { most: 310 })).toEqual(rows(0, 310));
    expect(org.seen).toHaveLength(2);
    expect(org.seen[0]?.headers['sforce-query-options']).toBe('batchSize=310');
    await errorOf(salesforce.query('SELECT', { most: 1 }));
    expect(org.seen[2]?.headers['sforce-query-options']).toBe('batchSize=200');
  });

  test('may be read page by page, and left', async () => {
    const org = await openOrg();
    org.otherwise(page(rows(0, 2), NEXT));
    const { salesforce } = connect(org);
    const sizes: number[] = [];
    for await (const records of salesforce.pages('SELECT')) {
      sizes.push(records.length);
      if (sizes.length === 2) break;
    }
    expect([sizes, org.seen.length]).toEqual([[2, 2], 2]);
  });

  test('that is too long for an address goes as a composite', async () => {
    const org = await openOrg();
    const soql = `SELECT Id FROM X__c WHERE Id IN ('${'a'.repeat(20_000)}')`;
    const sub = (httpStatusCode: number, body: unknown) =>
      json(200, { compositeResponse: [{ httpStatusCode, body, referenceId: 'query' }] });
    org.will(
      sub(200, { done: false, records: rows(0, 1), nextRecordsUrl: NEXT }),
      page(rows(1, 1)),
    );
    const { salesforce } = connect(org);
    expect(await salesforce.query(soql)).toEqual(rows(0, 2));
    expect(org.seen[0]).toMatchObject({ method: 'POST', path: '/services/data/v59.0/composite' });
    const { compositeRequest } = JSON.parse(org.seen[0]?.body ?? '') as {
      compositeRequest: { url: string }[];
    };
    expect(compositeRequest).toMatchObject([
      { method: 'GET', url: `/services/data/v59.0/query?q=${encodeURIComponent(soql)}` },
    ]);

    org.will(sub(400, [{ errorCode: 'MALFORMED_QUERY', message: 'x' }]));
    expect((await errorOf(salesforce.query(soql))).code).toBe('MALFORMED_QUERY');
    const longest = await errorOf(salesforce.query('x'.repeat(100_001)));
    expect(longest).toMatchObject({ code: 'query_too_long', outcome: 'notSent' });
  });

  test('that is wrong says so', async () => {
    const org = await openOrg();
    org.will(refuses(400, 'MALFORMED_QUERY', "unexpected token: 'FORM'"));
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.query('SELECT Id FORM X'));
    expect(error.message).toBe("MALFORMED_QUERY: unexpected token: 'FORM'");
  });

  test.each([
    { records: 'none' },
    null,
    { records: [], done: false },
    { records: [], done: false, nextRecordsUrl: 'https://evil.example/x' },
  ])('answered with %j is no success', async (body) => {
    const org = await openOrg();
    org.will(json(200, body));
    const { salesforce } = connect(org);
    expect((await errorOf(salesforce.query('SELECT'))).code).toBe('invalid_answer');
    expect(org.seen).toHaveLength(1);
  });
});
