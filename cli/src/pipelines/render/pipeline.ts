import type { Pipeline } from '@millrace/pipelines/contract';
import { asOption, parameterInWords, problemLine } from '../../parameters/render.ts';
import { type Field, fieldLines } from '../../render/fields.ts';
import type { Column } from '../../render/table.ts';
import type { Screen } from '../../terminal/screen.ts';

export const PIPELINE_COLUMNS: readonly Column<Pipeline>[] = [
  { header: 'PIPELINE', cell: ({ name }) => name },
  { header: 'TITLE', shrinkTo: 10, leaveOut: 2, cell: ({ title }) => title },
  {
    header: 'PARAMETERS',
    shrinkTo: 12,
    cell: ({ parameters }) => parameters.map(asOption).join(' ') || '-',
  },
  {
    header: 'STEPS',
    shrinkTo: 12,
    leaveOut: 1,
    cell: ({ steps }) => steps.map(({ name }) => name).join(' '),
  },
  {
    header: 'SCHEDULES',
    align: 'right',
    leaveOut: 3,
    cell: ({ schedules }) => (schedules.length === 0 ? '-' : String(schedules.length)),
  },
];

type Step = Pipeline['steps'][number];

export function pipelineDetail(pipeline: Pipeline, screen: Screen): string[] {
  const { name, parameters, schedules, problems } = pipeline;
  const { paint } = screen;
  const fields: Field[] = [
    ['title', pipeline.title],
    ['about', pipeline.description],
    [
      'schedules',
      schedules
        .map((each) => `${each.name}: ${each.cron} in ${each.timeZone}, as ${each.as}`)
        .join('\n') || null,
    ],
    ['file', pipeline.file],
  ];
  const needed = parameters.filter(({ required }) => required);
  return [
    paint('bold', name),
    ...fieldLines(fields, screen),
    ...(parameters.length === 0 ? [] : ['', '  Parameters']),
    ...fieldLines(
      parameters.map((each): Field => [`  --${each.name}`, parameterInWords(each)]),
      screen,
    ),
    '',
    '  Steps',
    ...fieldLines(
      pipeline.steps.map((step): Field => [`  ${step.name}`, stepInWords(step)]),
      screen,
    ),
    ...(problems.length === 0 ? [] : ['', ...problems.map((each) => problemLine(each, paint))]),
    '',
    `  millrace pipeline run ${name}${needed.map(({ example }) => ` ${example}`).join('')}`,
  ];
}

function stepInWords({ title, name, type, after, when, onFailure, available }: Step): string {
  const parts = [
    title === name ? type : `${title} (${type})`,
    after.length === 0 ? null : `after ${after.join(', ')}`,
    when === null ? null : `when ${when}`,
    onFailure === 'continue' ? 'continues if it fails' : null,
    available ? null : 'nobody does it here',
  ];
  return parts.filter((part) => part !== null).join('; ');
}
