import type { Client } from '@millrace/api';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Column, table } from '../render/table.ts';
import { relative } from '../render/time.ts';

type Schedule = Awaited<ReturnType<Client['listSchedules']>>['schedules'][number];

export const schedules = defineCommand({
  name: 'schedules',
  summary: 'Lists the schedules, with their last and next ticks.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['millrace schedules', 'millrace schedules --json | jq .nextTick'],
  async run({ client, out, json, quiet, document, note, world }) {
    const found = (await client.listSchedules()).schedules.toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    if (json) for (const schedule of found) document(schedule);
    else if (quiet) for (const { name } of found) out.line(name);
    else if (found.length === 0) note('No schedules. A job file makes one with defineSchedule.');
    else
      for (const line of table(columns(world.now()), found, out.columns, out.paint)) out.line(line);
    return EXIT.ok;
  },
});

function columns(now: number): Column<Schedule>[] {
  return [
    { header: 'SCHEDULE', shrinkTo: 8, cell: ({ name }) => name },
    { header: 'CRON', cell: ({ cron }) => cron },
    { header: 'TIME ZONE', leaveOut: 2, cell: ({ timeZone }) => timeZone },
    { header: 'KIND', shrinkTo: 6, leaveOut: 1, cell: ({ kind }) => kind },
    { header: 'LAST', leaveOut: 3, cell: ({ lastTick }) => relative(lastTick, now) },
    {
      header: 'NEXT',
      cell: ({ nextTick }) => (nextTick === null ? 'never' : relative(nextTick, now)),
    },
    { header: 'LAST JOB', leaveOut: 4, cell: ({ lastJob }) => lastJob ?? '-', style: () => 'dim' },
  ];
}
