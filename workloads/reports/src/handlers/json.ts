import { type Caller, formOf, iso, isoOrNull } from '@millrace/workload-kit';
import type { CatalogueView, ColumnFormat, ReportDefinition } from '../catalogue/types.ts';
import type { Report as ReportJson } from '../contract/catalogue.ts';
import type { ReportRun } from '../contract/runs.ts';
import { identityOf } from '../identity/identity.ts';
import { decideRows } from '../identity/row-rules.ts';
import { decisionInWords, rowRulesInWords } from '../identity/words.ts';
import type { ResolvedParameters } from '../parameters/types.ts';
import { claimsNeeded } from '../rules/claims.ts';
import { afterInWords } from '../rules/words.ts';
import type { Outputs } from '../outputs/types.ts';
import { placeOf } from '../reports.ts';
import { type RunSight, hasFile } from '../runs/sight.ts';

/** A report as the caller sees it: with the defaults of today, and the rows that they would get. */
export function reportJson(
  view: CatalogueView,
  definition: ReportDefinition,
  { caller, now }: { readonly caller: Caller | null; readonly now: number },
): ReportJson {
  const { value: report, file, digest, name } = definition;
  const { timeZone, outputs } = report;
  const fields = formOf(report.parameters, { now, timeZone });
  return {
    name,
    title: report.title,
    description: report.description,
    file,
    parameters: fields.map((field) => ({
      ...field,
      choices: [...field.choices],
      default: valueJson(field.default),
      defaultNow: valueJson(field.defaultNow),
    })),
    key: [...report.key],
    columns: report.columns
      .filter(({ hidden }) => !hidden)
      .map((column) => ({
        name: column.name,
        label: column.label ?? column.name,
        format: column.format === null ? null : formatInWords(column.format),
      })),
    formats: [...outputs.formats],
    compression: outputs.compression,
    public: report.public,
    rowRules: rowRulesInWords(report),
    rowsForYou: rowsFor(view, definition, caller),
    schedules: report.schedules.map(
      ({ name: schedule, cron, timeZone: zone, as, missed, overlap }) => ({
        name: schedule,
        cron,
        timeZone: zone,
        as,
        missed,
        overlap,
      }),
    ),
    after: report.after.map(afterInWords),
    digest,
    problems: [...(view.troubled.find((each) => each.name === name)?.problems ?? [])],
  };
}

function rowsFor(
  view: CatalogueView,
  { name, value: report }: ReportDefinition,
  caller: Caller | null,
): string {
  if (caller === null) return 'Nobody is known to ask.';
  return decisionInWords(decideRows(report, identityOf(caller, claimsNeeded(view, name))));
}

function formatInWords(format: ColumnFormat): string {
  return format.as === 'decimal' ? `${format.places} decimals` : format.as;
}

function valueJson(value: string | readonly string[] | null): string | string[] | null {
  return typeof value === 'string' || value === null ? value : [...value];
}

export function parametersJson(parameters: ResolvedParameters): ReportRun['parameters'] {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, valueJson(value)]),
  );
}

/** Claims, token and the place of the file stay inside. */
export function runJson(run: RunSight, outputs: Pick<Outputs, 'reaches'>): ReportRun {
  const { id, report, state, format, compression, tenant, submitter, correlationId } = run;
  return {
    id,
    report,
    state,
    parameters: parametersJson(run.parameters),
    format,
    compression,
    tenant,
    submitter,
    correlationId,
    schedule: run.schedule,
    parents: Object.values(run.parents ?? {}),
    progress: progressJson(run),
    attempt: run.attempt,
    resumes: run.resumes,
    cancelRequested: run.cancelRequested,
    error: run.error,
    result: resultJson(run, outputs),
    createdAt: iso(run.createdAt),
    startedAt: isoOrNull(run.startedAt),
    finishedAt: isoOrNull(run.finishedAt),
  };
}

function progressJson(run: RunSight): ReportRun['progress'] {
  const { state, rows, bytes, chunks, totalRows: total } = run;
  if (rows === null) return null;
  const isDone = state === 'SUCCEEDED';
  const isMoving = state === 'PROCESSING';
  const rowsPerSecond = run.rowsPerSecond === null ? null : Math.round(run.rowsPerSecond);
  return {
    rows,
    bytes: bytes ?? 0,
    chunks: chunks ?? 0,
    total,
    percent: isDone ? 100 : percentOf(rows, total),
    rowsPerSecond,
    etaSeconds: isMoving ? etaOf(rows, total, rowsPerSecond) : null,
  };
}

/** The guess may be too small: until it is over there is something left. */
function percentOf(rows: number, total: number | null): number | null {
  if (total === null || total <= 0) return null;
  return Math.min(99, Math.floor((rows / total) * 100));
}

function etaOf(rows: number, total: number | null, rowsPerSecond: number | null): number | null {
  if (total === null || rowsPerSecond === null || rowsPerSecond <= 0 || rows >= total) return null;
  return Math.ceil((total - rows) / rowsPerSecond);
}

function resultJson(run: RunSight, outputs: Pick<Outputs, 'reaches'>): ReportRun['result'] {
  const { state, rows, bytes, sha256, fileName, note, expiresAt } = run;
  if (state !== 'SUCCEEDED' || sha256 === null) return null;
  const place = placeOf(run.file);
  return {
    rows: rows ?? 0,
    bytes: bytes ?? 0,
    sha256,
    fileName: fileName ?? `${run.report}.${run.format}`,
    note,
    expiresAt: isoOrNull(expiresAt),
    available: hasFile(run) && place !== null && outputs.reaches(place),
  };
}
