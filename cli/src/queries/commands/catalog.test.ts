import { describe, expect, test } from 'vitest';
import { queriesFixture } from '../../../test/queries.ts';
import { documents } from '../../../test/run.ts';

describe('millrace catalog', () => {
  test('lists data extensions and data views', async () => {
    const { millrace } = await queriesFixture();
    const { code, lines } = await millrace('catalog');
    expect(code).toBe(0);
    expect(lines).toEqual([
      'NAME             WHAT            KEY',
      'Loyal customers  data extension  loyal-1',
      '_Open            data view       -',
    ]);
    expect((await millrace('catalog -q')).lines).toEqual(['Loyal customers', '_Open']);
    const [found] = documents((await millrace('catalog --json')).stdout);
    expect(found).toMatchObject({ mid: '100001', dataExtensions: [{ customerKey: 'loyal-1' }] });
  });

  test('has the fields of one, of either kind', async () => {
    const { millrace } = await queriesFixture();
    expect((await millrace("catalog 'Loyal customers'")).lines).toEqual([
      'FIELD   TYPE    LENGTH  KEY  REQUIRED',
      'Email   Text       254  yes  yes',
      'Orders  Number       -  no   no',
    ]);
    expect((await millrace('catalog _Open -q')).lines).toEqual(['SubscriberKey']);
    const { code, stderr } = await millrace('catalog Nobody');
    expect([code, stderr]).toEqual([3, expect.stringContaining('no data extension "Nobody"')]);
  });

  test('asks for the business unit that is named, and again where asked to', async () => {
    const { millrace, server } = await queriesFixture();
    await millrace('catalog --mid 100002 --refresh');
    expect(server.requests.at(-1)).toMatch(/\/catalog\?mid=100002&refresh=true$/);
  });

  test('says so where nothing is to be seen', async () => {
    const { millrace } = await queriesFixture({ dataExtensions: [] });
    const { lines, stderr } = await millrace('catalog');
    expect(lines).toHaveLength(2);
    expect(stderr).toContain('100001 has no data extensions');
  });

  test('its names are completed', async () => {
    const { millrace } = await queriesFixture();
    const { lines } = await millrace(`completion words -- 'catalog' '_'`);
    expect(lines).toEqual(['_Open']);
  });
});
