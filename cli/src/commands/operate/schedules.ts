import { ApiError, nearest, problemOf } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Column, table } from '../../render/table.ts';
import { type Schedule, last, next, scheduleLines } from '../../render/schedule.ts';
import { verbOf } from '../../line/verb.ts';

export const schedules = defineCommand({
  name: 'schedules',
  summary: 'Lists schedules; shows, runs, pauses, resumes, deletes one.',
  usage: [
    '',
    'show SCHEDULE',
    'run SCHEDULE',
    'pause SCHEDULE',
    'resume SCHEDULE',
    'delete SCHEDULE',
  ],
  words: { least: 0, most: 2 },
  options: {},
  examples: [
    'millrace schedules',
    'millrace schedules show month-end',
    'millrace schedules --json | jq .nextTick',
    'millrace schedules run month-end',
  ],
  async run(context, { words }) {
    if (words.length === 0) return list(context);
    const { verb, object } = verbOf('schedules', words, {
      show: 'SCHEDULE',
      run: 'SCHEDULE',
      pause: 'SCHEDULE',
      resume: 'SCHEDULE',
      delete: 'SCHEDULE',
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
  else if (found.length === 0) note('No schedules. Declare one in a job file with defineSchedule.');
  else
    for (const line of table(columns(world.now()), found, out.columns, out.paint)) out.line(line);
  return EXIT.ok;
}

const ACTIONS = {
  async show({ client, out, json, document, world }: Context, name: string): Promise<ExitCode> {
    const { schedules: all } = await client.listSchedules();
    const found = all.find((each) => each.name === name);
    if (found === undefined) throw noSchedule(name, all);
    if (json) document(found);
    else for (const line of scheduleLines(found, world.now(), out)) out.line(line);
    return EXIT.ok;
  },
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
      `"${name}" is paused: its ticks are skipped until "millrace schedules resume ${name}".`,
    );
  },
  async resume(context: Context, name: string): Promise<ExitCode> {
    const answer = await context.client.resumeSchedule({ params: { name } });
    return told(context, answer, `"${name}" is resumed and runs at its next tick.`);
  },
  async delete(context: Context, name: string): Promise<ExitCode> {
    const answer = await context.client.deleteSchedule({ params: { name } });
    return told(context, answer, `"${name}" is deleted; its jobs stay.`);
  },
};

function told({ out, json, quiet, document }: Context, answer: object, sentence: string): ExitCode {
  if (json) document(answer);
  else if (!quiet) out.line(sentence);
  return EXIT.ok;
}

/** In the words of the server, which knows a schedule that somebody else has made. */
function noSchedule(name: string, all: readonly Schedule[]): ApiError {
  const meant = nearest(
    name,
    all.map((each) => each.name),
  );
  const hint = meant === null ? '' : ` Did you mean "${meant}"?`;
  return new ApiError(
    problemOf('schedule_not_found', `There is no schedule "${name}".${hint}`, ''),
  );
}

function columns(now: number): Column<Schedule>[] {
  return [
    { header: 'SCHEDULE', shrinkTo: 8, cell: ({ name }) => name },
    {
      header: 'WHEN',
      shrinkTo: 12,
      cell: ({ cron, timeZone, words }) => words ?? `${cron}, in ${timeZone}`,
    },
    { header: 'CRON', leaveOut: 5, cell: ({ cron }) => cron },
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
