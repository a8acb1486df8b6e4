import { type Contract, nextOrNone, wholeOrPage } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { byReport, compression, format } from './values.ts';

const value = z.union([z.string(), z.array(z.string())]).nullable();

/** The same words as in parameters/types.ts, which the compiler holds together. */
const parameterType = z.enum([
  'text',
  'whole number',
  'decimal',
  'date',
  'date range',
  'month',
  'boolean',
  'choice',
]);

/** A parameter as a field of a form. */
export const parameter = z.object({
  name: z.string(),
  type: parameterType,
  label: z.string(),
  help: z.string().nullable(),
  required: z.boolean().describe('Somebody has to give it: there is no default.'),
  canBeEmpty: z.boolean().describe('It may have no value: give it null.'),
  list: z.boolean().describe('It takes several values.'),
  choices: z
    .array(z.object({ value: z.string(), label: z.string() }))
    .describe('Of the type "choice": the only values that it takes.'),
  suggests: z.boolean().describe('GET /reports/NAME/suggestions/PARAMETER has values to choose.'),
  min: z.string().nullable().describe('Of numbers and dates; of a text, its length.'),
  max: z.string().nullable(),
  default: value.describe('As the file says it, such as "start of last month"; null: none.'),
  defaultNow: value.describe('The same as it is today: "2026-01-01".'),
  example: z.string().describe('For a command line: "--from 2026-01-31".'),
});
export type Parameter = z.infer<typeof parameter>;

export const fileProblem = z.object({
  file: z.string().describe('Within the folder of reports.'),
  line: z.number().describe('From 1.'),
  column: z.number().describe('From 1.'),
  message: z.string(),
});
export type FileProblem = z.infer<typeof fileProblem>;

export const report = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  file: z.string().describe('Within the folder of reports.'),
  parameters: z.array(parameter),
  key: z.array(z.string()).describe('The columns whose order the rows come in.'),
  columns: z
    .array(z.object({ name: z.string(), label: z.string(), format: z.string().nullable() }))
    .describe('Those that the file says something about.'),
  formats: z.array(format).describe('The first is the usual one.'),
  compression: compression.describe('The usual one.'),
  public: z.boolean().describe('Everybody gets all rows: it has no row rules, and says so.'),
  rowRules: z.array(z.string()).describe('Who gets which rows, in words.'),
  rowsForYou: z.string().describe('Which rows the caller would get, in words.'),
  schedules: z
    .array(
      z.object({
        name: z.string(),
        cron: z.string(),
        timeZone: z.string(),
        as: z.string().describe('The service identity that it runs as.'),
        missed: z.enum(['last', 'skip', 'all']),
        overlap: z.enum(['skip', 'allow']),
      }),
    )
    .describe('By these names /schedules knows them.'),
  after: z.array(z.string()).describe('After which reports it runs by itself, in words.'),
  digest: z.string().describe('Of what the file says: the version that is in force.'),
  problems: z
    .array(fileProblem)
    .describe('Of the file as it is now, where an older version of it is in force.'),
});
export type Report = z.infer<typeof report>;

export const reportExample: Report = {
  name: 'timesheet-detail',
  title: 'Timesheets in detail',
  description: 'One line for each timesheet of a county.',
  file: 'timesheet-detail.yaml',
  parameters: [
    {
      name: 'county',
      type: 'whole number',
      label: 'County',
      help: 'Its number.',
      required: true,
      canBeEmpty: false,
      list: false,
      choices: [],
      suggests: true,
      min: '1',
      max: '58',
      default: null,
      defaultNow: null,
      example: '--county 1',
    },
    {
      name: 'from',
      type: 'date',
      label: 'From',
      help: null,
      required: false,
      canBeEmpty: false,
      list: false,
      choices: [],
      suggests: false,
      min: null,
      max: null,
      default: 'start of last month',
      defaultNow: '2025-12-01',
      example: '--from 2026-01-31',
    },
  ],
  key: ['county', 'id'],
  columns: [
    { name: 'county', label: 'County', format: 'whole number' },
    { name: 'hours', label: 'Hours', format: '2 decimals' },
  ],
  formats: ['csv', 'xlsx'],
  compression: null,
  public: false,
  rowRules: [
    'With the role admin: all rows.',
    'Else, with the claim county: rows whose county is in that claim.',
  ],
  rowsForYou: 'Rows whose county is 19.',
  schedules: [
    {
      name: 'report:timesheet-detail',
      cron: '0 6 1 * *',
      timeZone: 'America/Los_Angeles',
      as: 'month-end',
      missed: 'last',
      overlap: 'skip',
    },
  ],
  after: [],
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  problems: [],
};

export const graphNode = z.object({
  report: z.string(),
  title: z.string(),
  schedules: z.number().describe('How many schedules begin it.'),
  inForce: z.boolean().describe('False: rules name it, and its file is wrong or gone.'),
});

export const graphEdge = z.object({
  from: z.string(),
  to: z.string(),
  rule: z.number().describe('Edges to one report with the same number wait for each other.'),
  kind: z.enum(['one', 'all']),
  match: z
    .string()
    .nullable()
    .describe('The parameter of the parent by which runs of several parents belong together.'),
  as: z.string().describe('Under whose claims it runs: a service identity, or "parent".'),
  when: z.string().nullable().describe('What has to hold of the parent, in words; null: nothing.'),
});

export const reportGraph = z.object({
  nodes: z.array(graphNode),
  edges: z.array(graphEdge),
});
export type ReportGraph = z.infer<typeof reportGraph>;

export const catalogueContracts = {
  listReports: {
    method: 'GET',
    path: '/reports',
    summary: 'The reports there are, with what they take, and what is wrong with their files.',
    access: 'viewer',
    query: wholeOrPage,
    response: z.object({
      reports: z.array(report),
      troubled: z
        .array(
          z.object({
            file: z.string(),
            name: z.string().nullable().describe('Of the report; null: its file has no such name.'),
            inForce: z
              .enum(['older', 'this'])
              .nullable()
              .describe(
                'Which version of the report is in force meanwhile: the one before its file went wrong, this one in spite of its problems, or none.',
              ),
            problems: z.array(fileProblem),
          }),
        )
        .describe('Files that are wrong.'),
      folder: z.string().describe('Where the files are, on the machine of the server.'),
      source: z
        .enum(['postgres', 'embedded'])
        .describe('What is read: the database of REPORTS_DATABASE_URL, or the embedded sample.'),
      next: nextOrNone,
    }),
    statuses: [200],
    example: {
      response: {
        reports: [reportExample],
        troubled: [
          {
            file: 'payments.yaml',
            name: 'payments',
            inForce: 'older',
            problems: [
              {
                file: 'payments.yaml',
                line: 12,
                column: 3,
                message: 'There is no such field: "paramters". Did you mean "parameters"?',
              },
            ],
          },
        ],
        folder: '/srv/millrace/reports',
        source: 'postgres',
        next: null,
      },
    },
  },
  getReport: {
    method: 'GET',
    path: '/reports/:name',
    summary: 'One report: what it takes, gives and follows.',
    access: 'viewer',
    params: byReport,
    response: report,
    statuses: [200],
    errors: ['report_not_found'],
    example: { params: { name: 'timesheet-detail' }, response: reportExample },
  },
  suggestReportValues: {
    method: 'GET',
    path: '/reports/:name/suggestions/:parameter',
    summary: 'Values of a parameter to choose from, as `suggest` of its file reads them.',
    access: 'viewer',
    params: byReport.extend({ parameter: z.string().min(1).max(100) }),
    response: z.object({
      values: z
        .array(z.object({ value: z.string(), label: z.string().describe('For people.') }))
        .describe('1,000 at most. By row rules, those of rows that the caller may see.'),
      more: z.boolean().describe('There are more.'),
    }),
    statuses: [200],
    errors: ['report_not_found', 'suggestions_refused', 'source_unavailable'],
    example: {
      params: { name: 'timesheet-detail', parameter: 'county' },
      response: { values: [{ value: '19', label: 'Los Angeles' }], more: false },
    },
  },
  getReportGraph: {
    method: 'GET',
    path: '/reports/graph',
    summary: 'Which reports follow from which, as the rules of their files say.',
    access: 'viewer',
    response: reportGraph,
    statuses: [200],
    example: {
      response: {
        nodes: [
          {
            report: 'timesheet-detail',
            title: 'Timesheets in detail',
            schedules: 1,
            inForce: true,
          },
          { report: 'payments', title: 'Payments', schedules: 0, inForce: true },
        ],
        edges: [
          {
            from: 'timesheet-detail',
            to: 'payments',
            rule: 0,
            kind: 'one',
            match: null,
            as: 'parent',
            when: 'more than 0 rows',
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Contract>;
