import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { canonicalJson, requestHashOf } from './canonical.ts';

/**
 * The Apex of the Salesforce package has the same vectors (DocgenVectors.cls, made from this file). What they do not
 * hold, numbers of more than 15 digits, Apex does not send.
 */
const vectors = z
  .array(
    z.strictObject({
      name: z.string(),
      templateId: z.string(),
      outputFormat: z.enum(['PDF', 'DOCX']),
      data: z.record(z.string(), z.unknown()),
      canonical: z.string(),
      hash: z.string().length(64),
    }),
  )
  .parse(
    JSON.parse(
      readFileSync(new URL('../../test/idempotency-vectors.json', import.meta.url), 'utf8'),
    ) as unknown,
  );

test.each(vectors)('$name', ({ templateId, outputFormat, data, canonical, hash }) => {
  expect(canonicalJson(data)).toBe(canonical);
  expect(requestHashOf({ templateId, outputFormat, data })).toBe(hash);
});

test('the canonical text says the same as the data', () => {
  for (const { data, canonical } of vectors)
    expect(canonicalJson(JSON.parse(canonical))).toBe(canonicalJson(data));
});

test('no two vectors share a hash', () => {
  expect(new Set(vectors.map(({ hash }) => hash)).size).toBe(vectors.length);
});
