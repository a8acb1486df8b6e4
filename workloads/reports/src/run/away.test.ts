import { ObjectStorageError } from '@millrace/object-storage';
import { type SqlSource, SourceUnavailable, openPostgresSource } from '@millrace/sql-source';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bareDatabase } from '../../../../stores/postgres/test/databases.ts';
import { type Bench, type JobRun, jobRun, openBench } from '../../test/execute.ts';
import { definitionOf } from '../../test/definitions.ts';
import type { ReportJob } from '../job-data.ts';
import { outputFailure } from '../outputs/errors.ts';
import type { Outputs } from '../outputs/types.ts';

const MINUTE = 60_000;

let source: SqlSource;
let bench: Bench;
let drop: () => Promise<void>;
let now = Date.UTC(2026, 0, 31);
/** How many chunks of an execution go well before the source, or the storage, is away; Infinity: all of them. */
let chunksUntil = { source: Infinity, storage: Infinity };

beforeAll(async () => {
  const database = await bareDatabase();
  ({ drop } = database);
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(
    'CREATE TABLE shifts AS SELECT i AS id FROM generate_series(1, 950) i; ALTER TABLE shifts ADD PRIMARY KEY (id); ANALYZE shifts',
  );
  await client.end();
  source = openPostgresSource({ connection: { connectionString: database.url } });
  const report = definitionOf('shifts', {
    sql: 'SELECT id FROM shifts',
    key: ['id'],
    public: true,
  });
  bench = await openBench({
    source: leaving(source),
    definition: () => report,
    config: { chunk: { bytes: 1, rows: 100 } },
    now: () => now,
    through: failing,
  });
});
afterAll(async () => {
  await source.close();
  await bench.close();
  await drop();
});

function leaving(whole: SqlSource): SqlSource {
  return {
    ...whole,
    async begin(options) {
      const reading = await whole.begin(options);
      let left = chunksUntil.source;
      return {
        ...reading,
        async *copy(...asked) {
          for await (const rows of reading.copy(...asked)) {
            if (left-- <= 0) throw new SourceUnavailable('away', { code: 'connection_lost' });
            yield rows;
          }
        },
      };
    },
  };
}

function failing(outputs: Outputs): Outputs {
  return {
    ...outputs,
    async open(params) {
      const output = await outputs.open(params);
      let left = chunksUntil.storage;
      return {
        ...output,
        get canSync() {
          return output.canSync;
        },
        async sync() {
          if (left-- <= 0) throw outputFailure('output_failed', 'away', { cause: SLOW_DOWN });
          return output.sync();
        },
      };
    },
  };
}

const SLOW_DOWN = new ObjectStorageError('Please reduce your request rate.', {
  kind: 'limit',
  code: 'SlowDown',
  outcome: 'refused',
});

function begun(): JobRun {
  return jobRun(`pg-${(now += 1)}`, {
    report: 'shifts',
    digest: 'a'.repeat(64),
    parameters: {},
    output: { format: 'csv', compression: null },
    identity: { name: 'ada', subject: null, roles: [], claims: {}, service: null },
  });
}

/** The run as the store keeps it while it waits. */
async function away(run: JobRun): Promise<{ run: JobRun; afterMs: unknown }> {
  const { outcome } = await bench.execute(run);
  if (typeof outcome !== 'object' || outcome.type !== 'defer') throw new Error('it does not wait');
  return { run: { ...run, data: outcome.data as ReportJob }, afterMs: outcome.afterMs };
}

test.each(['source', 'storage'] as const)('a run waits for a %s that is away', async (which) => {
  chunksUntil = { source: Infinity, storage: Infinity, [which]: 0 };
  let { run, afterMs } = await away(begun());
  expect(afterMs).toBe(1_000);
  now += MINUTE;
  ({ run, afterMs } = await away(run));
  expect(afterMs).toBe(2_000);
  // Longer than the patience of the bench.
  now += 10 * MINUTE;
  await expect(bench.execute(run)).rejects.toMatchObject({
    code: which === 'source' ? 'source_unavailable' : 'output_failed',
  });
});

test.each(['source', 'storage'] as const)(
  'a %s that is away once more, after the run got further, is waited for from the start',
  async (which) => {
    chunksUntil = { source: Infinity, storage: Infinity, [which]: 2 };
    let { run, afterMs } = await away(begun());
    for (let outage = 0; outage < 3; outage += 1) {
      // Later than the patience, counted from the first outage.
      now += 11 * MINUTE;
      chunksUntil = { source: Infinity, storage: Infinity, [which]: 2 };
      ({ run, afterMs } = await away(run));
      expect(afterMs).toBe(1_000);
    }
    chunksUntil = { source: Infinity, storage: Infinity };
    await bench.execute(run);
    const ids = Array.from({ length: 950 }, (_, at) => `${at + 1}\n`);
    expect((await bench.bytesOf(run)).toString()).toBe(`id\n${ids.join('')}`);
  },
);
