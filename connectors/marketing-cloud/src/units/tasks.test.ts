import { describe, expect, test } from 'vitest';
import { connect, openCloud, retrieved } from '../../test/cloud.ts';

describe('task statuses', () => {
  const status = (properties: Record<string, string | null>): string =>
    `<Results xsi:type="ObjectExtension"><Type>AsyncActivityStatus</Type><Properties>${Object.entries(
      properties,
    )
      .map(
        ([name, value]) =>
          `<Property><Name>${name}</Name>${value === null ? '' : `<Value>${value}</Value>`}</Property>`,
      )
      .join('')}</Properties></Results>`;

  test('of one are asked for with equals; values that are null are left out', async () => {
    const cloud = await openCloud();
    cloud.will(
      retrieved(
        status({ TaskID: '0401', Status: 'FatalError', ErrorMsg: '', CompletedDate: null }),
      ),
    );
    expect(await connect(cloud).unit.taskStatuses(['0401', '0401'])).toEqual([
      {
        taskId: '0401',
        status: 'FatalError',
        statusMessage: null,
        errorMsg: null,
        startDate: null,
        completedDate: null,
      },
    ]);
    expect(cloud.seen[0]?.body).toContain(
      '<Property>TaskID</Property><SimpleOperator>equals</SimpleOperator><Value>0401</Value>',
    );
  });

  test('are found in an answer that is laid out over lines', async () => {
    const cloud = await openCloud();
    cloud.will(
      retrieved(status({ TaskID: '\n  0401\n', Status: '\n  Error\n', ErrorMsg: '\n  \n' })),
    );
    expect(await connect(cloud).unit.taskStatuses(['0401'])).toMatchObject([
      { taskId: '0401', status: 'Error', errorMsg: null },
    ]);
  });

  test('of many are one call for each hundred', async () => {
    const cloud = await openCloud();
    cloud.otherwise((exchange) => {
      const ids = [...exchange.seen.body.matchAll(/<Value>(\d+)<\/Value>/g)].map(([, id]) => id);
      const found = ids.filter((id) => id !== '7').map((id) => status({ TaskID: id ?? '' }));
      return retrieved(`${found.join('')}${status({ TaskID: 'another' })}`)(exchange);
    });
    const { unit, cloud: connected } = connect(cloud);
    const ids = Array.from({ length: 201 }, (_, n) => String(n));
    const found = await unit.taskStatuses(ids);
    expect(found.map(({ taskId }) => taskId)).toEqual(ids.filter((id) => id !== '7'));
    const sizes = cloud.seen.map(({ body }) => body.split('<Value>').length - 1);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 100, 100]);
    expect(cloud.seen.some(({ body }) => body.includes('>IN<'))).toBe(true);
    expect(connected.stats().byOperation).toEqual({ 'soap:Retrieve AsyncActivityStatus': 3 });
    expect(await unit.taskStatuses([])).toEqual([]);
  });
});
