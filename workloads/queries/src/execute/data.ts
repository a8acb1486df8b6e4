import { z } from 'zod';

/**
 * The data of a job that starts a query, as the seed has it. The SQL is in the run, where it can be erased; jobs of old that
 * carry it as well are taken.
 */
export const executeDataSchema = z.object({
  runId: z.string(),
  tenantId: z.string(),
  userId: z.string(),
  mid: z.string(),
  eid: z.string().nullable().optional(),
  sqlText: z.string().optional(),
  snippetName: z.string().nullable().optional(),
});

export type ExecuteData = z.infer<typeof executeDataSchema>;
