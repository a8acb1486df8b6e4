import type { Client } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Column, table } from '../../render/table.ts';
import { relative } from '../../render/time.ts';
import { verbOf } from '../../line/verb.ts';

type Schedule = Awaited<ReturnType<Client['listSchedules']>>['schedules'][number];

export const schedules = defineCommand({
  name: 'schedules',
  summary: 'Lists the schedules; runs one now, pauses or resumes it.',
  usage: ['', 'run SCHEDULE', 'pause SCHEDULE', 'resume SCHEDULE'],
  words: { least: 0, most: 2 },
  options: {},
  examples: [
    'millrace schedules',
    'millrace schedules --json | jq .nextTick',
    'millrace schedules run month-end',
  ],
  async run(context, { words }) {
    if (words.length === 0) return list(context);
    const { verb, object } = verbOf('schedules', words, {
      run: 'SCHEDULE',
      pause: 'SCHEDULE',
      resume: 'SCHEDULE',
    });
    return ACTIONS[verb](context, object);
  },
});

async function list({
  client,
  out,
  json,
  quiet,
  document,
  note,
  world,
}: Context): Promise<ExitCode> {
  const found = (await client.listSchedules()).schedules.toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  if (json) for (const schedule of found) document(schedule);
  else if (quiet) for (const { name } of found) out.line(name);
  else if (found.length === 0) note('No schedules. A job file makes one with defineSchedule.');
  else
    for (const line of table(columns(world.now()), found, out.columns, out.paint)) out.line(line);
  return EXIT.ok;
}

const ACTIONS = {
  async run({ client, out, json, document }: Context, name: string): Promise<ExitCode> {
    const answer = await client.runSchedule({ params: { name } });
    if (json) document(answer);
    else out.line(answer.id);
    return EXIT.ok;
  },
  async pause(context: Context, name: string): Promise<ExitCode> {
    const answer = await context.client.pauseSchedule({ params: { name } });
    return told(
      context,
      answer,
      `"${name}" is paused: its ticks pass until "millrace schedules resume ${name}".`,
    );
  },
  async resume(context: Context, name: string): Promise<ExitCode> {
    const answer = await context.client.resumeSchedule({ params: { name } });
    return told(context, answer, `"${name}" runs again, from its next tick on.`);
  },
};

function told({ out, json, quiet, document }: Context, answer: object, sentence: string): ExitCode {
  if (json) document(answer);
  else if (!quiet) out.line(sentence);
  return EXIT.ok;
}

function columns(now: number): Column<Schedule>[] {
  return [
    { header: 'SCHEDULE', shrinkTo: 8, cell: ({ name }) => name },
    { header: 'CRON', cell: ({ cron }) => cron },
    { header: 'TIME ZONE', leaveOut: 2, cell: ({ timeZone }) => timeZone },
    { header: 'KIND', shrinkTo: 6, leaveOut: 1, cell: ({ kind }) => kind },
    { header: 'LAST', leaveOut: 3, cell: (schedule) => last(schedule, now) },
    {
      header: 'NEXT',
      cell: (schedule) => next(schedule, now),
      style: ({ paused, declared }) => (paused === null && declared ? null : 'yellow'),
    },
    { header: 'LAST JOB', leaveOut: 4, cell: ({ lastJob }) => lastJob ?? '-', style: () => 'dim' },
  ];
}

/** Of its jobs, not of its ticks: a new schedule has dealt with all ticks up to now, and has made nothing. */
function last({ lastJob, lastJobAt, lastTick }: Schedule, now: number): string {
  return lastJob === null ? 'never' : relative(lastJobAt ?? lastTick, now);
}

function next({ declared, paused, nextTick }: Schedule, now: number): string {
  if (!declared) return 'not declared by any file here';
  if (paused !== null) return `paused ${relative(paused.since, now)}`;
  return nextTick === null ? 'never' : relative(nextTick, now);
}
