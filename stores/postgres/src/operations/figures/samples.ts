import { type Statement, numbers, texts } from '../../database.ts';
import { type Figures, LEVEL, type Sampled } from '../../figures.ts';
import type { Context } from '../context.ts';

// $1 minute, ms
const WANTED: Statement = {
  name: 'millrace_samples_wanted',
  text: `
SELECT NOT EXISTS (SELECT FROM millrace.samples
  WHERE level = ${LEVEL.all} AND tenant = '' AND minute = to_timestamp($1::float8 / 1000)) AS wanted`,
};

export async function wantsSample(
  { database }: Context,
  { minute }: Parameters<Figures['wantsSample']>[0],
): Promise<boolean> {
  const [row] = await database.query<{ wanted: boolean }>(WANTED, [minute]);
  return row?.wanted === true;
}

// $1 minute, ms $2 level[] $3 tenant[] $4 waiting[] $5 due[] $6 running[] $7 oldest due[]
const KEEP: Statement = {
  name: 'millrace_samples_keep',
  text: `
INSERT INTO millrace.samples (level, tenant, minute, waiting, due, running, oldest_due)
SELECT u.level, u.tenant, to_timestamp($1::float8 / 1000), u.waiting, u.due, u.running, u.oldest_due
  FROM unnest($2::text::smallint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::float8[])
       AS u(level, tenant, waiting, due, running, oldest_due)
ON CONFLICT DO NOTHING`,
};

export async function keepSamples(
  { database }: Context,
  { minute, samples }: Parameters<Figures['sample']>[0],
): Promise<void> {
  await database.query(KEEP, [
    minute,
    numbers(samples.map(({ tenant }) => (tenant === null ? LEVEL.all : LEVEL.subqueue))),
    texts(samples.map(({ tenant }) => tenant ?? '')),
    numbers(samples.map(({ waiting }) => waiting)),
    numbers(samples.map(({ due }) => due)),
    numbers(samples.map(({ running }) => running)),
    numbers(samples.map(({ oldestDueSeconds }) => oldestDueSeconds)),
  ]);
}

// Samples of several tenants are added up minute by minute before the most of a bucket is taken.
// $1 level $2 tenants[] $3 from, ms $4 to, ms $5 bucket, ms
const READ: Statement = {
  name: 'millrace_samples_read',
  text: `
SELECT floor((ms - $3::float8) / $5::float8)::int AS bucket, max(waiting) AS waiting, max(oldest) AS oldest,
       (array_agg(ms ORDER BY oldest DESC NULLS LAST))[1] AS oldest_at
  FROM (SELECT date_part('epoch', minute) * 1000 AS ms, sum(waiting)::float8 AS waiting, max(oldest_due) AS oldest
          FROM millrace.samples
         WHERE level = $1::smallint AND tenant = ANY ($2::text::text[])
           AND minute >= to_timestamp($3::float8 / 1000) AND minute < to_timestamp($4::float8 / 1000)
         GROUP BY minute) m
 GROUP BY 1 ORDER BY 1`,
};

type SampledRow = { bucket: number; waiting: number; oldest: number | null; oldest_at: number };

export async function readSamples(
  { database }: Context,
  { from, to, bucketMs, tenants }: Parameters<Figures['samples']>[0],
): Promise<Sampled[]> {
  const [level, whose] = tenants === 'all' ? [LEVEL.all, ['']] : [LEVEL.subqueue, tenants];
  const params = [level, texts(whose), from, to, bucketMs];
  const rows = await database.query<SampledRow>(READ, params);
  return rows.map(({ bucket, waiting, oldest, oldest_at }) => ({
    bucket,
    waiting,
    oldestDueSeconds: oldest,
    oldestAt: oldest === null ? null : oldest_at,
  }));
}
