import { z } from 'zod';

export const FORMATS = ['csv', 'jsonl', 'xlsx', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** Of CSV and JSON Lines; XLSX and Parquet are compressed inside. */
export const COMPRESSIONS = ['none', 'gzip', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

export const format = z
  .enum(FORMATS, { error: `Write one of ${FORMATS.join(', ')}.` })
  .describe('What kind of file.');

export const compression = z
  .enum(COMPRESSIONS, { error: `Write one of ${COMPRESSIONS.join(', ')}.` })
  .describe('How the file is packed: csv and jsonl only.');

export const reportName = z
  .string()
  .min(1)
  .max(100)
  .describe('The name of a report: that of its file without .yaml.');

/** As people write them; the report says which there are and what they may be. */
export const parameterValues = z
  .record(
    z.string().min(1).max(100),
    z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]),
  )
  .describe('Values by the name of the parameter. Those left out have their defaults.');

export const byReport = z.strictObject({ name: reportName });
export const byRun = z.strictObject({
  id: z.string().min(1).max(100).describe('The id of a run, which is that of its job: "pg-42".'),
});
