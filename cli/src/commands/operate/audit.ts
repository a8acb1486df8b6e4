import { type AuditEntry, type Client, MAX_PAGE } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { filterInWords } from '../../jobs/filter.ts';
import { flag, past, text, wholeNumber } from '../../line/option.ts';
import { count } from '../../render/number.ts';
import { type Column, type Table, layOut } from '../../render/table.ts';
import { relative } from '../../render/time.ts';
import { UsageError } from '../../line/usage-error.ts';

const DEFAULT_LIMIT = 20;

export const audit = defineCommand({
  name: 'audit',
  summary: 'Lists the audit log, newest first.',
  usage: ['[options]'],
  words: { least: 0, most: 0 },
  options: {
    actor: text('NAME', 'Only actions of this person or program.'),
    action: text('ACTION', 'Only this action, such as cancelJobs.'),
    target: text('TARGET', 'Only actions on this job, kind or worker.'),
    since: past('Only actions since then: 1h, or a time.'),
    until: past('Only actions before then: 7d, or a time.'),
    limit: wholeNumber('N', `Maximum number of rows; default: ${DEFAULT_LIMIT}.`, 1),
    all: flag('All of them.'),
  },
  examples: ['millrace audit --since 1d', 'millrace audit --actor ada@example.com --json'],
  async run(context, { options: { limit, all, actor, action, target, since, until } }) {
    if (all && limit !== undefined) throw new UsageError('Give either --limit or --all.');
    const now = context.world.now();
    const filter = { actor, action, target, after: since?.(now), before: until?.(now) };
    const show = showerFor(context);
    const most = all ? Infinity : (limit ?? DEFAULT_LIMIT);
    for await (const page of pagesOf(context.client, filter, most)) show(page);
    return EXIT.ok;
  },
});

type Filter = Omit<NonNullable<NonNullable<Parameters<Client['listAudit']>[0]>['query']>, 'limit'>;

interface Page {
  readonly entries: readonly AuditEntry[];
  readonly more: boolean;
}

async function* pagesOf(client: Client, filter: Filter, limit: number): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let left = limit; left > 0;) {
    const query = { ...filter, limit: Math.min(left, MAX_PAGE), cursor };
    const { entries, next } = await client.listAudit({ query });
    left -= entries.length;
    yield { entries, more: next !== null && left <= 0 };
    if (next === null) return;
    cursor = next;
  }
}

function showerFor({ json, quiet, document, out, note, world }: Context): (page: Page) => void {
  if (json) return ({ entries }) => entries.forEach(document);
  if (quiet) return ({ entries }) => entries.forEach(({ id }) => out.line(id));
  let table: Table<AuditEntry> | null = null;
  return ({ entries, more }) => {
    if (table === null) {
      if (entries.length === 0) return note('No entries.');
      table = layOut(columns(world.now()), entries, out.columns, out.paint);
      out.line(table.header());
    }
    out.write(entries.map((entry) => `${table?.line(entry)}\n`).join(''));
    if (more) note('There is more: --limit N or --all shows it.');
  };
}

function columns(now: number): Column<AuditEntry>[] {
  return [
    { header: 'WHEN', cell: ({ at }) => relative(at, now) },
    { header: 'WHO', shrinkTo: 8, cell: ({ actor }) => actor },
    { header: 'SUBJECT', leaveOut: 3, cell: ({ subject }) => subject ?? '-' },
    { header: 'WHAT', cell: ({ action }) => action },
    { header: 'TARGET', shrinkTo: 10, leaveOut: 1, cell: targetOf },
    {
      header: 'JOBS',
      align: 'right',
      leaveOut: 2,
      cell: (entry) => (entry.count === null ? '-' : count(entry.count)),
    },
    {
      header: 'OUTCOME',
      cell: ({ outcome }) => outcome,
      style: ({ outcome }) => (outcome === 'done' ? null : 'yellow'),
    },
  ];
}

/** The target of an action: its name, or the filter in words. */
function targetOf({ target, filter }: AuditEntry): string {
  if (target !== null) return target;
  return filter === null ? '-' : filterInWords(filter);
}
