import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type TestSource,
  openTestSource,
  reading,
} from '../../../../connectors/sql-source/test/sources.ts';
import { sampleIn } from './embedded.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };

describe('the embedded source', () => {
  let opened: TestSource;
  beforeAll(async () => {
    opened = await openTestSource('embedded');
  });
  afterAll(() => opened.drop());

  const timesheets = (source: TestSource['source']) =>
    reading(source, async ({ rows }) => (await rows('SELECT count(*) FROM timesheets'))[0]?.[0]);

  test('has a small sample for whoever reads first, and waits while it is filled again', async () => {
    const { source, sample } = sampleIn(opened.source, log, 300);
    expect(await timesheets(source)).toBe('300');
    expect(await sample?.status()).toMatchObject({ state: 'ready', rows: 300, percent: 100 });
    expect(await sample?.begin(400)).toMatchObject({ state: 'filling', rows: 400 });
    await expect(sample?.begin(500)).rejects.toMatchObject({ code: 'sample_busy' });
    // Never a table that is half full.
    expect(await timesheets(source)).toBe('400');
    expect(await sample?.status()).toMatchObject({ state: 'ready', rows: 400 });
  });

  test('keeps what it has when the process begins again', async () => {
    const { source } = sampleIn(opened.source, log, 300);
    expect(await timesheets(source)).toBe('400');
  });

  test('says why it cannot be read after a filling that failed', async () => {
    const { source, sample } = sampleIn(
      {
        ...opened.source,
        change: async () => {
          throw new Error('No room.');
        },
      },
      log,
    );
    await sample?.begin(10);
    await sample?.settled();
    await expect(source.begin({ statementTimeoutMs: 1_000 })).rejects.toThrow('No room.');
  });
});

test('a database of people’s own is left as it is', () => {
  const own = { kind: 'postgres' } as unknown as Parameters<typeof sampleIn>[0];
  expect(sampleIn(own, log)).toEqual({ source: own, sample: null });
});
