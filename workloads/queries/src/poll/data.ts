import { z } from 'zod';

const moment = z.iso.datetime();

/**
 * The data of a poll's job, as the seed has it. What the run itself is (task, query definition, target) is read from the
 * run, which is the truth and can change (a second try); the job carries how far the polling is.
 */
export const pollDataSchema = z.object({
  runId: z.string(),
  tenantId: z.string(),
  userId: z.string(),
  mid: z.string(),
  /** Null where the answer to the start was lost: then rows and isRunning alone tell. */
  taskId: z.string().nullable(),
  queryDefinitionId: z.string().nullable().optional(),
  queryCustomerKey: z.string().nullable().optional(),
  targetDeName: z.string().nullable().optional(),

  pollCount: z.number().int().min(0),
  pollStartedAt: moment,
  /** When SOAP last said something usable. */
  signalAt: moment.optional(),

  /** When the query was seen to run: from then on "not running" means that it has ended. */
  ranAt: moment.optional(),
  /** Of the first "not running" that counted since the query was seen to run or wait. */
  notRunningSince: moment.optional(),
  /** Of the last one. */
  notRunningDetectedAt: moment.optional(),
  notRunningConfirmations: z.number().int().min(0).optional(),

  rowsetReadyDetectedAt: moment.optional(),
  rowsetReadyAttempts: z.number().int().min(0).optional(),

  rowProbeAttempts: z.number().int().min(0).optional(),
  rowProbeLastCheckedAt: moment.optional(),

  /** Pauses that throttling asked for, in all. */
  throttledMs: z.number().min(0).optional(),

  /** Calls that are not yet added to the run. */
  apiCalls: z.number().min(0).optional(),
});

export type PollData = z.infer<typeof pollDataSchema>;
