import { type Checked, type Complain, type Complaint, checkSchema } from '@millrace/workload-kit';
import { afterOf } from './after.ts';
import { outputsOf } from './outputs.ts';
import { parametersOf } from './parameters.ts';
import { rowRulesOf } from './row-rules.ts';
import { schedulesOf } from './schedules.ts';
import { type ReportFile, reportFile } from './schema.ts';
import { checkSql } from './sql.ts';
import type { Cover, Report, ReportColumn } from './types.ts';

/** GET /reports/runs is about runs, not about a report of that name. */
const WORDS_OF_API: readonly string[] = ['runs', 'graph', 'sample'];

/** What a report has that says nothing of it. */
export interface ReportDefaults {
  readonly timeZone: string;
}

/**
 * A report file, by itself: first the form of each field, then what the fields say about each other. What it says about other
 * files is held against them in rules/review.ts.
 */
export function checkReport(
  name: string,
  value: unknown,
  defaults: ReportDefaults,
): Checked<Report> {
  const checked = checkSchema(reportFile, value);
  if ('complaints' in checked) return checked;
  const complaints: Complaint[] = [];
  const report = reportOf(name, checked.value, defaults, (path, message, more = {}) =>
    complaints.push({ path, message, ...more }),
  );
  if (WORDS_OF_API.includes(name))
    complaints.push({
      path: ['title'],
      message: `the file cannot be called ${name}.yaml, which is a word of the API. Rename it.`,
    });
  return complaints.length > 0 ? { complaints } : { value: report };
}

function reportOf(
  name: string,
  file: ReportFile,
  defaults: ReportDefaults,
  complain: Complain,
): Report {
  const parameters = parametersOf(file.parameters ?? {}, complain);
  const outputs = outputsOf(file.outputs, parameters, complain);
  const timeZone = file.timeZone ?? defaults.timeZone;
  const inFileName = parameters
    .map((parameter) => parameter.name)
    .filter((each) => outputs.file.includes(`{${each}}`));
  const rows = rowRulesOf(file, complain);
  checkSql({ ...file, rows }, parameters, inFileName, complain);
  checkKey(file, complain);
  return {
    name,
    title: file.title,
    description: file.description ?? null,
    parameters,
    sql: file.sql,
    key: file.key,
    columns: columnsOf(file),
    rows,
    public: file.public ?? false,
    totals: file.totals ?? 'visible rows',
    asOf: file.asOf ?? null,
    outputs,
    formulaGuard: file.formulaGuard ?? true,
    expiresMs: file.expires ?? null,
    timeZone,
    timeoutMs: file.timeout ?? null,
    schedules: schedulesOf(
      file.schedule ?? [],
      { report: name, parameters, outputs, timeZone },
      complain,
    ),
    after: afterOf(file.after ?? [], { parameters, outputs }, complain),
    cover: coverOf(file),
    keepToken: file.keepToken ?? false,
    handOver: file.handOver ?? null,
  };
}

function coverOf({ cover }: ReportFile): Cover | null {
  return cover === undefined ? null : { template: cover.template, when: cover.when ?? 'always' };
}

function columnsOf({ columns = {} }: ReportFile): ReportColumn[] {
  return Object.entries(columns).map(([name, { label, format, hidden }]) => ({
    name,
    label: label ?? null,
    format: format ?? null,
    hidden: hidden ?? false,
  }));
}

function checkKey({ key }: ReportFile, complain: Complain): void {
  for (const [index, column] of key.entries())
    if (key.indexOf(column) < index) complain(['key', index], `${column} is named twice.`);
}
