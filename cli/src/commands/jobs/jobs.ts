import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { FILTER_OPTIONS, type Page, filterOf, pagesOf } from '../../jobs/filter.ts';
import { warnOfMissing } from '../../jobs/missing.ts';
import { noteUnknownKind } from '../../jobs/kind-hint.ts';
import { flag, wholeNumber } from '../../line/option.ts';
import { type Column, type Table, layOut } from '../../render/table.ts';
import { UsageError } from '../../line/usage-error.ts';
import type { JobSummary } from '@millrace/api';
import { STATE_STYLE } from '../../render/colour.ts';
import { noteOf, whenOf } from '../../render/job-note.ts';
import { age } from '../../render/time.ts';

const DEFAULT_LIMIT = 20;

export const jobs = defineCommand({
  name: 'jobs',
  summary: 'Lists jobs, newest first.',
  usage: ['[options]'],
  words: { least: 0, most: 0 },
  options: {
    ...FILTER_OPTIONS,
    limit: wholeNumber('N', `Maximum number of rows; default: ${DEFAULT_LIMIT}.`, 1),
    all: flag('All of them.'),
  },
  examples: [
    'millrace jobs --state failed --since 1h',
    'millrace jobs --kind report.monthly --all --json | jq .error.code',
    'millrace jobs --error conversion_timeout -q | xargs millrace retry',
  ],
  async run(context, { options: { limit, all, ...filter } }) {
    if (all && limit !== undefined) throw new UsageError('Give either --limit or --all.');
    const most = all ? Infinity : (limit ?? DEFAULT_LIMIT);
    const show = context.json ? asJson(context) : context.quiet ? asIds(context) : asTable(context);
    const seen = new Set<string>();
    const missing = new Set<string>();
    for await (const page of pagesOf(context.client, filterOf(filter, context.world.now()), most)) {
      show(page);
      for (const { kind } of page.jobs) seen.add(kind);
      for (const place of page.missing) missing.add(place);
    }
    warnOfMissing(context, [...missing]);
    if (seen.size === 0) await noteUnknownKind(context, filter.kind);
    noteSimulatedOrg(context, seen);
    return EXIT.ok;
  },
});

/** Whoever has just started a sandbox has made no job yet, and wonders whose these are. */
function noteSimulatedOrg({ running, note }: Context, kinds: ReadonlySet<string>): void {
  const org = running?.simulatedOrg ?? null;
  if (org === null || !kinds.has(org.kind)) return;
  note(
    `Jobs of the kind ${org.kind} are records of this sandbox’s simulated Salesforce org, ${org.page}. SALESFORCE_SANDBOX=false turns it off.`,
  );
}

function asJson({ document }: Context): (page: Page) => void {
  return ({ jobs: page }) => {
    for (const job of page) document(job);
  };
}

function asIds({ out }: Context): (page: Page) => void {
  return ({ jobs: page }) => {
    for (const job of page) out.line(job.id);
  };
}

function asTable({ out, note, world }: Context): (page: Page) => void {
  let table: Table<JobSummary> | null = null;
  let shown = 0;
  return ({ jobs: page, more, missing }) => {
    if (table === null) {
      if (page.length === 0) return missing.length === 0 ? note('No jobs.') : undefined;
      table = layOut(jobColumns(world.now(), page), page, out.columns, out.paint);
      out.line(table.header());
    }
    // One write a page: a list of thousands is not a thousand system calls.
    out.write(page.map((job) => `${table?.line(job)}\n`).join(''));
    shown += page.length;
    if (more) note(`The newest ${shown}. There are more: --limit N or --all shows them.`);
  };
}

function jobColumns(now: number, rows: readonly JobSummary[]): Column<JobSummary>[] {
  const tenant: Column<JobSummary> = {
    header: 'TENANT',
    shrinkTo: 6,
    leaveOut: 1,
    cell: (job) => job.tenant,
  };
  return [
    { header: 'ID', cell: (job) => job.id },
    { header: 'KIND', shrinkTo: 6, cell: (job) => job.kind },
    ...(rows.some((job) => job.tenant !== '') ? [tenant] : []),
    { header: 'STATE', cell: (job) => job.state, style: (job) => STATE_STYLE[job.state] },
    {
      header: 'ATTEMPT',
      align: 'right',
      leaveOut: 4,
      cell: (job) => `${job.attempt}/${job.maxAttempts}`,
    },
    {
      header: 'PRIO',
      align: 'right',
      leaveOut: 5,
      cell: (job) => (job.priority === null ? '-' : String(job.priority)),
    },
    {
      header: 'AGE',
      align: 'right',
      leaveOut: 3,
      cell: (job) => age(now - Date.parse(job.createdAt)),
    },
    { header: 'WHEN', cell: (job) => whenOf(job, now) },
    {
      header: 'NOTE',
      shrinkTo: 12,
      leaveOut: 2,
      cell: noteOf,
      style: (job) => (job.state === 'FAILED' ? 'red' : 'dim'),
    },
  ];
}
