import { describe, expect, test } from 'vitest';
import { json } from '../../../test/scripted.ts';
import { connect, errorOf, openCloud } from '../../test/cloud.ts';

describe('rows', () => {
  const rowset = (more: object): object => ({
    links: { self: '/v1/customobjectdata/token/abc/rowset?$page=1' },
    requestToken: 'abc',
    customObjectKey: 'mr 1',
    pageSize: 2,
    page: 1,
    count: 3,
    top: 0,
    ...more,
  });

  test('are read page by page, with the /data that the link leaves out', async () => {
    const cloud = await openCloud();
    const items = [
      { keys: { id: '007' }, values: { amount: '5e10', note: null } },
      { keys: {}, values: { n: 5, b: true } },
    ];
    cloud.will(
      json(
        200,
        rowset({ items, links: { next: '/v1/customobjectdata/token/abc/rowset?$page=2' } }),
      ),
      json(200, rowset({ page: 2, items: [{ values: { id: '9' } }] })),
    );
    const { unit, reports } = connect(cloud);
    const first = await unit.rows('mr 1/ä', { pageSize: 2 });
    expect(first).toEqual({
      count: 3,
      page: 1,
      pageSize: 2,
      rows: [
        { id: '007', amount: '5e10', note: null },
        { n: '5', b: 'true' },
      ],
      next: '/v1/customobjectdata/token/abc/rowset?$page=2',
    });
    expect(await unit.rowsAfter(first.next ?? '')).toMatchObject({
      page: 2,
      rows: [{ id: '9' }],
      next: null,
    });
    expect(cloud.seen.map(({ path }) => path)).toEqual([
      '/data/v1/customobjectdata/key/mr%201%2F%C3%A4/rowset?$page=1&$pageSize=2',
      '/data/v1/customobjectdata/token/abc/rowset?$page=2',
    ]);
    expect(reports.map(({ operation }) => operation)).toEqual(['rest:rowset', 'rest:rowset']);
  });

  test('have their names in lower case, however they are answered', async () => {
    const cloud = await openCloud();
    cloud.will(json(200, rowset({ items: [{ keys: { ID: '7' }, values: { EmailName: 'x' } }] })));
    const { rows } = await connect(cloud).unit.rows('k', { pageSize: 2 });
    expect(rows).toEqual([{ id: '7', emailname: 'x' }]);
  });

  test('that are none are no error', async () => {
    const cloud = await openCloud();
    cloud.will(json(200, rowset({ count: 0, links: { next: '/v1/more' } })));
    expect(await connect(cloud).unit.rows('k', { pageSize: 1 })).toMatchObject({
      count: 0,
      rows: [],
      next: null,
    });
  });

  test('of a data extension that is not there, or not readable yet, are not found', async () => {
    const cloud = await openCloud();
    const error = await errorOf(connect(cloud).unit.rows('k', { pageSize: 1 }));
    expect(error).toMatchObject({ kind: 'notFound', code: '404', retryable: false });
  });

  test.each([
    'https://evil.example/data/v1/customobjectdata/token/a/rowset',
    '//evil.example/v1/customobjectdata/token/a/rowset',
    '/v1/customobjectdata/token/../rowset',
    '/automation/v1/queries',
    '/v1/customobjectdata/token/a/rowset?x#y',
    '/v1/customobjectdata/token/a/rowset?x y',
    '',
  ])('are not looked for at %j', async (next) => {
    const { unit, cloud } = connect({ url: 'http://127.0.0.1:1' });
    expect(await errorOf(unit.rowsAfter(next))).toMatchObject({
      code: 'invalid_page',
      outcome: 'notSent',
    });
    expect(cloud.stats()).toMatchObject({ calls: 0, tokens: 0 });
  });

  test.each([{ pageSize: 0 }, { pageSize: 2_501 }, { pageSize: 1, page: 0 }, { pageSize: 1.5 }])(
    'have no page %j',
    async (options) => {
      const { unit } = connect({ url: 'http://127.0.0.1:1' });
      expect(await errorOf(unit.rows('k', options))).toMatchObject({ code: 'invalid_page' });
    },
  );
});
