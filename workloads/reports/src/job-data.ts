import { COMPRESSIONS, TABLE_FORMATS } from '@millrace/tables';
import { z } from 'zod';
import type { ReportIdentity } from './identity/types.ts';
import type { GivenParameters } from './parameters/types.ts';
import type { OutputChoice } from './output.ts';
import type { Mapped } from './rules/types.ts';
import type { Waiting } from './run/waiting.ts';
import { type ReportResult, reportOutcomeSchema } from './result.ts';

/** The kind of job that makes a report. */
export const REPORT = 'report';

const given = z.union([z.string(), z.array(z.string()), z.null()]);

const identity: z.ZodType<ReportIdentity> = z.strictObject({
  name: z.string(),
  subject: z.string().nullable(),
  service: z.string().nullable(),
  roles: z.array(z.string()),
  claims: z.record(z.string(), z.array(z.string())),
});

const output: z.ZodType<OutputChoice> = z.strictObject({
  format: z.enum(TABLE_FORMATS),
  compression: z.enum(COMPRESSIONS).nullable(),
});

const mapped: z.ZodType<Mapped> = z.union([
  z.strictObject({ from: z.string(), parameter: z.string() }),
  z.strictObject({ value: given }),
]);

/** How a report that several others have made follows from them. */
export interface FromParents {
  readonly parameters: Readonly<Record<string, Mapped>>;
  /** It runs with their identity, and not with that of a service of its own. */
  readonly asParents: boolean;
}

/** What the job of a report is given. */
export interface ReportJob {
  readonly report: string;
  /** Of the definition that it was made with, and runs with. */
  readonly digest: string;
  /** As they were given: words such as `yesterday` mean the day before `at`. Not with `from`. */
  readonly parameters?: GivenParameters | undefined;
  /** The tick of the schedule that it is for; left out: when the job was made. Milliseconds since 1970. */
  readonly at?: number | undefined;
  /** Of the schedule that it is for: words mean a day there. Left out: the report's. */
  readonly timeZone?: string | undefined;
  /** Several parents have made it, whom the job names by their reports: its parameters are found in their results. */
  readonly from?: FromParents | undefined;
  readonly output: OutputChoice;
  readonly identity: ReportIdentity;
  /** Rows of an earlier step of a pipeline, instead of those of the database. */
  readonly rows?: { readonly step: string; readonly id: string } | undefined;
  /** Its file is there, and what remains is to hand it over. */
  readonly written?: ReportResult | undefined;
  /** Its source is away. */
  readonly waiting?: Waiting | undefined;
}

export const reportJobSchema: z.ZodType<ReportJob> = z
  .strictObject({
    report: z.string(),
    digest: z.string().regex(/^[0-9a-f]{64}$/),
    parameters: z.record(z.string(), given).optional(),
    at: z.number().optional(),
    timeZone: z.string().optional(),
    from: z
      .strictObject({ parameters: z.record(z.string(), mapped), asParents: z.boolean() })
      .optional(),
    output,
    identity,
    rows: z.strictObject({ step: z.string(), id: z.string() }).optional(),
    written: z
      .custom<ReportResult>((value) => reportOutcomeSchema.safeParse(value).success)
      .optional(),
    waiting: z.strictObject({ since: z.number(), tries: z.number() }).optional(),
  })
  .refine((job) => (job.parameters === undefined) !== (job.from === undefined), {
    error: 'Give parameters, or from.',
  });
