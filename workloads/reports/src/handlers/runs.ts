import type { Duration } from '@millrace/engine';
import {
  type Caller,
  type HandlersOf,
  Refusal,
  givenFromJson,
  ok,
  lastWithin,
} from '@millrace/workload-kit';
import type { ReportDefinition } from '../catalogue/types.ts';
import type { runContracts } from '../contract/runs.ts';
import { ReportError } from '../errors.ts';
import type { GivenParameters, ParameterProblem } from '../parameters/types.ts';
import { type Prepared, type Refused, prepareReport, unknownReport } from '../prepare.ts';
import { type RunSight, isOver } from '../runs/sight.ts';
import type { ReportsWithin } from '../within.ts';
import { runJson } from './json.ts';

export function runHandlers({
  catalogue,
  runs,
  outputs,
  now,
}: ReportsWithin): HandlersOf<typeof runContracts> {
  const jsonOf = (run: RunSight) => runJson(run, outputs);
  const eventOf = (run: RunSight) => ({ type: 'report' as const, run: jsonOf(run) });
  async function* eventsOf(seen: AsyncIterable<RunSight>) {
    for await (const run of seen) yield eventOf(run);
  }

  function prepared(name: string, asked: Asked): Exclude<Prepared, { refused: Refused }> {
    const view = catalogue.now();
    const definition = view.reports.get(name);
    if (definition === undefined)
      throw new ReportError('report_not_found', unknownReport(view, name).message);
    const made = prepareReport(view, {
      report: name,
      parameters: givenOf(definition, asked.parameters),
      output: {
        format: asked.format,
        compression: asked.compression === null ? 'none' : asked.compression,
      },
      caller: asked.caller,
      now: now(),
    });
    if (!('refused' in made)) return made;
    const { why, message, problems } = made.refused;
    throw problems === undefined ? new ReportError(why, message) : misfit(problems);
  }

  return {
    async startReport({ params: { name }, body, caller, correlationId, signal, headers }) {
      const { parameters, format, compression, key, keyWindow, priority, webhook, wait = 0 } = body;
      const { job, definition } = prepared(name, {
        parameters,
        format,
        compression,
        caller: caller ?? NOBODY,
      });
      const begun = await runs.submit({
        job,
        definition,
        submitter: caller?.name ?? null,
        correlationId,
        priority,
        key,
        // The contract's pattern is the engine's.
        keyWindow: keyWindow as Duration | undefined,
        webhook,
        bearer: bearerOf(headers.authorization),
      });
      const run = await lastWithin(wait * 1_000, signal, begun, (enough) =>
        runs.watch(begun.id, enough),
      );
      return { status: isOver(run) ? 200 : 202, body: jsonOf(run) };
    },
    async listReportRuns({ query }) {
      const { createdAfter, createdBefore, ...filter } = query;
      const { items, next } = await runs.list({
        ...filter,
        createdAfter: msOf(createdAfter),
        createdBefore: msOf(createdBefore),
      });
      return ok({ runs: items.map(jsonOf), next });
    },
    async getReportRun({ params: { id } }) {
      return ok(jsonOf(await runs.get(id)));
    },
    async reportRunEvents({ params: { id }, signal }) {
      const first = eventOf(await runs.get(id));
      return { ...ok(first), events: eventsOf(runs.watch(id, signal)) };
    },
    async cancelReportRun({ params: { id } }) {
      return ok(jsonOf(await runs.cancel(id)));
    },
    async retryReportRun({ params: { id } }) {
      return ok(jsonOf(await runs.retry(id)));
    },
  };
}

interface Asked {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly format: Parameters<typeof prepareReport>[1]['output']['format'];
  readonly compression: 'gzip' | 'zstd' | null | undefined;
  readonly caller: Caller;
}

/** Where nobody signs in, nobody has claims. */
const NOBODY: Caller = {
  name: '',
  subject: '',
  roles: [],
  tenants: null,
  claims: {},
  expiresAt: null,
};

function givenOf(
  { value }: ReportDefinition,
  parameters: Readonly<Record<string, unknown>>,
): GivenParameters {
  const read = givenFromJson(value.parameters, parameters);
  if ('problems' in read) throw misfit(read.problems);
  return read.given;
}

/** Each at its place, as what is wrong with any body is reported. */
function misfit(problems: readonly ParameterProblem[]): Refusal {
  return new Refusal(
    'invalid_parameters',
    problems.map(({ parameter, message }) => `${parameter}: ${message}`).join(' '),
    {
      issues: problems.map(({ parameter, message }) => ({
        path: `parameters.${parameter}`,
        message,
      })),
    },
  );
}

function bearerOf(authorization: string | undefined): string | null {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}

function msOf(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}
