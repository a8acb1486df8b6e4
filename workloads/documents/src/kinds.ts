import { type Duration, type JobKind, RETRY, defineJob, done } from '@millrace/engine';
import { z } from 'zod';
import { DOCUMENT, DOCUMENT_BATCH } from './batch/jobs.ts';
import { batchRunSchema, runBatch } from './batch/run-batch.ts';
import { type Envelope, envelopeSchema, keptEnvelopeSchema } from './contract/envelope.ts';
import type { Documents } from './documents.ts';
import { type Passwords, createPasswords } from './passwords.ts';

/** An item of a batch, whose data is in the batch's own table: made by the batch's job alone, never from outside. */
const itemSchema = z.strictObject({
  batch: z.string(),
  run: z.number().int().min(1),
  item: z.number().int().min(1),
});
/** A union says only "Invalid input". Programs send envelopes: what is wrong with theirs is what helps. */
const documentSchema = z.union([keptEnvelopeSchema, itemSchema], {
  error: ({ errors }) =>
    (Array.isArray(errors) ? ((errors as z.core.$ZodIssue[][])[0] ?? []) : [])
      .map(({ path, message }) => `${path.join('.') || 'data'}: ${message}`)
      .slice(0, 5)
      .join('; '),
});
/** `lookEvery`: how often a batch looks how far its items are. */
export function documentKinds({
  lookEvery = '1s',
  passwords = createPasswords([]),
}: { readonly lookEvery?: Duration; readonly passwords?: Passwords } = {}): JobKind<
  unknown,
  Documents
>[] {
  const document = defineJob({
    kind: DOCUMENT,
    input: documentSchema,
    public: { input: envelopeSchema },
    seal: (data) => passwords.seal(data as Partial<Envelope>),
    retry: RETRY.standard,
    // 60 s of converting, with a lot to spare; waiting for a free process does not count.
    timeout: '5m',
    concurrency: 8,
    async run(job, context, documents: Documents) {
      const { data } = job;
      return 'batch' in data
        ? done(await documents.runItem({ ...job, data }, context))
        : done(await documents.runOne({ ...job, data }, context));
    },
  });

  const batch = defineJob({
    kind: DOCUMENT_BATCH,
    input: batchRunSchema,
    retry: RETRY.standard,
    timeout: '1h',
    run: (job, context, documents: Documents) =>
      runBatch(documents.upkeep, job, context, lookEvery),
  });

  return [document, batch] as JobKind<unknown, Documents>[];
}
