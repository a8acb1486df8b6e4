import { MillraceError, defineSchedule } from '@millrace/engine';
import { type Complain, givenOf, small } from '@millrace/workload-kit';
import type { Parameter } from '../parameters/types.ts';
import { chooseOutput } from './outputs.ts';
import type { OutputWords, ScheduleWords } from './schema.ts';
import type { Outputs, ReportSchedule } from './types.ts';
import type { OutputChoice } from '../output.ts';

interface Around {
  readonly report: string;
  readonly parameters: readonly Parameter[];
  readonly outputs: Outputs;
  readonly timeZone: string;
}

export function schedulesOf(
  words: readonly ScheduleWords[],
  around: Around,
  complain: Complain,
): ReportSchedule[] {
  const schedules = words.map((each, index) => scheduleOf(each, index, around, complain));
  for (const [index, { name }] of schedules.entries())
    if (schedules.findIndex((each) => each.name === name) < index)
      complain(['schedule', index, 'name'], 'another schedule of the report has this name.');
  return schedules;
}

function scheduleOf(
  words: ScheduleWords,
  index: number,
  { report, parameters, outputs, timeZone }: Around,
  complain: Complain,
): ReportSchedule {
  const path = ['schedule', index];
  const own = words.name ?? (index === 0 ? null : String(index + 1));
  const schedule = {
    name: own === null ? `report:${report}` : `report:${report}:${own}`,
    cron: words.cron,
    timeZone: words.timeZone ?? timeZone,
    parameters: givenOf(parameters, words.parameters ?? {}, [...path, 'parameters'], complain),
    as: words.as,
    output: outputOf(outputs, words.output, [...path, 'output'], complain),
    missed: words.missed ?? 'last',
    overlap: words.overlap ?? 'skip',
  } as const;
  try {
    const { name, cron } = schedule;
    defineSchedule({ name, cron, timeZone: schedule.timeZone, job: { kind: report, data: {} } });
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    complain(
      [...path, 'cron'],
      'this is no cron expression. Write minute, hour, day, month and weekday, such as 0 6 * * 1-5 for working days at six.',
    );
  }
  return schedule;
}

export function outputOf(
  outputs: Outputs,
  words: OutputWords | undefined,
  path: readonly (string | number)[],
  complain: Complain,
): OutputChoice {
  const chosen = chooseOutput(outputs, words ?? {});
  if ('output' in chosen) return chosen.output;
  complain(path, small(chosen.wrong));
  return { format: outputs.formats[0] ?? 'csv', compression: null };
}
