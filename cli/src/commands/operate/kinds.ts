import type { Kind } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import { EXIT } from '../../line/exit.ts';
import { count } from '../../render/number.ts';
import { type Column, table } from '../../render/table.ts';
import { lasting, relative } from '../../render/time.ts';

export const kinds = defineCommand({
  name: 'kinds',
  summary: 'Lists the job kinds of the server.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['millrace kinds', 'millrace kinds --json | jq \'select(.name == "hello").input\''],
  async run({ client, out, json, quiet, document, note, world }) {
    const found = (await client.listKinds()).kinds.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (json) for (const kind of found) document(kind);
    else if (quiet) for (const { name } of found) out.line(name);
    else if (found.length === 0)
      note('No kinds. Put a job file into the jobs folder of the server.');
    else
      for (const line of table(columns(world.now()), found, out.columns, out.paint)) out.line(line);
    return EXIT.ok;
  },
});

function columns(now: number): Column<Kind>[] {
  return [
    { header: 'KIND', shrinkTo: 12, cell: (kind) => kind.name },
    {
      header: 'STATE',
      cell: ({ paused }) => (paused === null ? 'open' : `paused ${relative(paused.since, now)}`),
      style: ({ paused }) => (paused === null ? null : 'yellow'),
    },
    { header: 'PUBLIC', leaveOut: 1, cell: (kind) => (kind.public ? 'yes' : 'no') },
    { header: 'TIMEOUT', align: 'right', leaveOut: 2, cell: (kind) => lasting(kind.timeoutMs) },
    { header: 'AT ONCE', align: 'right', leaveOut: 3, cell: (kind) => limit(kind.concurrency) },
    { header: 'QUOTA', leaveOut: 4, cell: quotaInWords },
    { header: 'RETRIES', shrinkTo: 13, cell: (kind) => kind.policy, style: () => 'dim' },
  ];
}

function limit(value: number | null): string {
  return value === null ? '-' : count(value);
}

function quotaInWords({ quota: { queued, running } }: Kind): string {
  const parts = [
    running === null ? '' : `${count(running)} running`,
    queued === null ? '' : `${count(queued)} queued`,
  ];
  return parts.filter((part) => part !== '').join(', ') || '-';
}
