import { type Contract, duration, jobState } from '@millrace/workload-kit/contract';
import { schemas as ofWorkloads } from '@millrace/workloads/contracts';
import { type ZodType, z } from 'zod';
import { bulk } from '../filter.ts';
import { execution, failure, job, jobSummary, logLine, progress } from '../job.ts';
import { issue, problem } from '../problem.ts';
import { auditEntry } from '../routes/audit.ts';
import { enqueued, jobRequest } from '../routes/enqueue.ts';
import { liveEvent } from '../routes/events.ts';
import { check, liveness, readiness } from '../routes/health.ts';
import { marks, overview } from '../overview.ts';
import { errorCounts, errorGroup } from '../routes/error-groups.ts';
import { me, signIn } from '../routes/identity.ts';
import { bulkAction } from '../routes/bulk.ts';
import { cancelAnswer, count } from '../routes/jobs.ts';
import { kind, pauseAnswer, schedule } from '../routes/kinds.ts';
import { replicaSteered } from '../routes/replicas.ts';
import { savedThing } from '../routes/saved.ts';
import { schedulePaused } from '../routes/schedules.ts';
import { pause, replica } from '../replica.ts';
import { control, pool } from '../routes/worker.ts';
import type { JsonSchema } from './types.ts';

/** Named schemas are written once and referenced. */
const ASKED = {
  JobRequest: jobRequest,
  JobSelection: bulk,
  JobState: jobState,
  Duration: duration,
  ...ofWorkloads.asked,
};
const GIVEN = {
  Job: job,
  JobSummary: jobSummary,
  Execution: execution,
  LogLine: logLine,
  JobState: jobState,
  Progress: progress,
  Failure: failure,
  Enqueued: enqueued,
  Canceled: cancelAnswer,
  Count: count,
  BulkAction: bulkAction,
  Kind: kind,
  KindPaused: pauseAnswer,
  Schedule: schedule,
  SchedulePaused: schedulePaused,
  Pause: pause,
  ...ofWorkloads.given,
  Overview: overview,
  Marks: marks,
  ErrorGroup: errorGroup,
  ErrorCounts: errorCounts,
  WorkerControl: control,
  Pool: pool,
  Replica: replica,
  ReplicaSteered: replicaSteered,
  LiveEvent: liveEvent,
  AuditEntry: auditEntry,
  SavedThing: savedThing,
  SignIn: signIn,
  Me: me,
  Liveness: liveness,
  Readiness: readiness,
  Check: check,
  Problem: problem,
  Issue: issue,
};

const PREFIX = '#/components/schemas/';

export interface Schemas {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** The schema of a part of a contract: a reference where it has a name. */
  of(schema: ZodType): JsonSchema;
}

/** Every schema of the contracts as JSON Schema. */
export function schemasOf(contracts: readonly Contract[]): Schemas {
  const asked = convert(
    'input',
    ASKED,
    contracts.flatMap(({ params, query, body }) => [params, query, body]),
  );
  const given = convert(
    'output',
    GIVEN,
    contracts.map(({ response }) => response),
  );
  return {
    components: { ...asked.named, ...given.named },
    of: (schema) => asked.of(schema) ?? given.of(schema) ?? {},
  };
}

function convert(
  io: 'input' | 'output',
  named: Readonly<Record<string, ZodType>>,
  others: readonly (ZodType | undefined)[],
) {
  const ids = new Map<ZodType, string>();
  for (const [name, schema] of Object.entries(named)) ids.set(schema, name);
  for (const schema of others) {
    if (schema !== undefined && !ids.has(schema)) ids.set(schema, `inline-${ids.size}`);
  }
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of ids) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => `${PREFIX}${id}`,
    override: ({ zodSchema, jsonSchema }) => tidy(io, zodSchema, jsonSchema),
  });
  const bare = (id: string): JsonSchema => {
    const { $schema: _, $id: __, ...schema } = schemas[id] as Record<string, unknown>;
    return schema;
  };
  return {
    named: Object.fromEntries(Object.keys(named).map((name) => [name, bare(name)])),
    of(schema: ZodType): JsonSchema | undefined {
      const id = ids.get(schema);
      if (id === undefined) return undefined;
      return Object.hasOwn(named, id) ? { $ref: `${PREFIX}${id}` } : bare(id);
    },
  };
}

/** Simplifies details of Zod's output that confuse readers. */
function tidy(
  io: 'input' | 'output',
  { _zod: { def } }: z.core.$ZodTypes,
  schema: z.core.JSONSchema.BaseSchema,
): void {
  // The format says it; the pattern is 200 characters.
  if (schema.format === 'date-time') delete schema.pattern;
  if (io === 'input') return;
  // A newer server may give more: only requests are strict.
  if (def.type === 'object' && def.catchall === undefined) delete schema.additionalProperties;
  delete schema.default;
}
