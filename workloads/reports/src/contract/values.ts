import { z } from 'zod';

export const FORMATS = ['csv', 'jsonl', 'xlsx', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** Of CSV and JSON Lines; XLSX and Parquet are compressed inside. */
export const COMPRESSIONS = ['gzip', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

export const format = z
  .enum(FORMATS, { error: `Write one of ${FORMATS.join(', ')}.` })
  .describe('What kind of file.');

export const compression = z
  .enum(COMPRESSIONS, { error: `Write one of ${COMPRESSIONS.join(', ')}, or null for none.` })
  .nullable()
  .describe('How the file is packed, csv and jsonl only; null: it is not.');

export const reportName = z
  .string()
  .min(1)
  .max(100)
  .describe('The name of a report: that of its file without .yaml.');

const written = z.union([z.string().max(10_000), z.number(), z.boolean()]);

/** As people write them; the report says which there are and what they may be. */
export const askedParameters = z
  .record(z.string().min(1).max(100), z.union([written, z.array(written).max(1_000), z.null()]))
  .describe(
    'Values by the name of the parameter; null: none, not even the default. Those left out have their defaults.',
  );

/** In their one way to be written: `2026-01-31`, `19`, `1.5`, `true`. */
export const givenParameters = z.record(
  z.string(),
  z.union([z.string(), z.array(z.string()), z.null()]),
);

export const byReport = z.strictObject({ name: reportName });
export const byRun = z.strictObject({
  id: z.string().min(1).max(100).describe('The id of a run, which is that of its job: "pg-42".'),
});
