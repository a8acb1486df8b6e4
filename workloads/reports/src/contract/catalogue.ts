import { type Contract, nextOrNone, wholeOrPage } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { byReport, compression, format } from './values.ts';

/** A parameter as a field of a form. */
export const parameter = z.object({
  name: z.string(),
  label: z.string(),
  type: z.string().describe('What values are: text, integer, decimal, date, timestamp, boolean.'),
  required: z.boolean().describe('Has no default: it must be given.'),
  default: z
    .string()
    .nullable()
    .describe('What is taken when it is left out, worked out for now; null: nothing.'),
  defaultWords: z
    .string()
    .nullable()
    .describe('The default as the file says it, such as "first day of last month".'),
  choices: z
    .array(z.object({ value: z.string(), label: z.string() }))
    .nullable()
    .describe('The only values that it takes; null: any of its type.'),
  help: z.string().nullable(),
});
export type Parameter = z.infer<typeof parameter>;

export const fileProblem = z.object({
  file: z.string().describe('Within the folder of reports.'),
  line: z.number().nullable().describe('From 1; null: the file as a whole.'),
  column: z.number().nullable().describe('From 1.'),
  message: z.string(),
});
export type FileProblem = z.infer<typeof fileProblem>;

export const report = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  file: z.string().describe('Within the folder of reports.'),
  parameters: z.array(parameter),
  columns: z.array(z.object({ name: z.string(), label: z.string(), type: z.string().nullable() })),
  formats: z.array(format).describe('The first is the usual one.'),
  compressions: z.array(compression),
  public: z.boolean().describe('Everybody gets all rows: it has no row rules, and says so.'),
  rowRules: z.array(z.string()).describe('Who gets which rows, in words.'),
  schedules: z
    .array(z.object({ name: z.string(), cron: z.string(), timeZone: z.string() }))
    .describe('By these names /schedules knows them.'),
  after: z.array(z.string()).describe('After which reports it runs by itself, in words.'),
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
      label: 'County',
      type: 'integer',
      required: true,
      default: null,
      defaultWords: null,
      choices: null,
      help: 'Its number.',
    },
    {
      name: 'from',
      label: 'From',
      type: 'date',
      required: false,
      default: '2026-01-01',
      defaultWords: 'first day of last month',
      choices: null,
      help: null,
    },
  ],
  columns: [
    { name: 'county', label: 'County', type: 'integer' },
    { name: 'hours', label: 'Hours', type: 'decimal' },
  ],
  formats: ['csv', 'xlsx'],
  compressions: ['none', 'gzip'],
  public: false,
  rowRules: ['Callers get the rows whose county is in their claim "county"; admins get all.'],
  schedules: [
    {
      name: 'report.timesheet-detail.monthly',
      cron: '0 6 1 * *',
      timeZone: 'America/Los_Angeles',
    },
  ],
  after: [],
};

export const graphNode = z.object({
  report: z.string(),
  title: z.string(),
  schedules: z.array(z.string()).describe('Names of schedules that start it.'),
});

export const graphRule = z.object({
  name: z.string(),
  parents: z.array(z.string()).describe('All of these have to end first.'),
  child: z.string(),
  match: z
    .string()
    .nullable()
    .describe('The parameter by which runs of the parents belong together; null: one parent.'),
  condition: z.string().nullable().describe('What the results have to be, in words.'),
  as: z.string().describe('Under whose claims the child runs, in words.'),
});

export const reportGraph = z.object({
  reports: z.array(graphNode),
  rules: z.array(graphRule),
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
      problems: z
        .array(fileProblem)
        .describe('Of files that are wrong. A report stays as it was before its file went wrong.'),
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
        problems: [
          {
            file: 'payments.yaml',
            line: 12,
            column: 3,
            message: 'There is no such field: "paramters". Did you mean "parameters"?',
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
  getReportGraph: {
    method: 'GET',
    path: '/reports/graph',
    summary: 'Which reports follow from which, as the rules of their files say.',
    access: 'viewer',
    response: reportGraph,
    statuses: [200],
    example: {
      response: {
        reports: [
          {
            report: 'timesheet-detail',
            title: 'Timesheets in detail',
            schedules: ['report.timesheet-detail.monthly'],
          },
          { report: 'payments', title: 'Payments', schedules: [] },
        ],
        rules: [
          {
            name: 'payments after timesheets',
            parents: ['timesheet-detail'],
            child: 'payments',
            match: null,
            condition: 'rows > 0',
            as: 'as who ran the parent',
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Contract>;
