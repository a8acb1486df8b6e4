import type { Report } from '@millrace/reports/contract';
import { asOption, parameterInWords, problemLine } from '../../parameters/render.ts';
import { type Field, fieldLines } from '../../render/fields.ts';
import type { Column } from '../../render/table.ts';
import type { Screen } from '../../terminal/screen.ts';

export const REPORT_COLUMNS: readonly Column<Report>[] = [
  { header: 'REPORT', cell: ({ name }) => name },
  { header: 'TITLE', shrinkTo: 10, leaveOut: 2, cell: ({ title }) => title },
  {
    header: 'PARAMETERS',
    shrinkTo: 12,
    cell: ({ parameters }) => parameters.map(asOption).join(' '),
  },
  { header: 'FORMATS', leaveOut: 3, cell: ({ formats }) => formats.join(' ') },
  {
    header: 'SCHEDULES',
    align: 'right',
    leaveOut: 4,
    cell: ({ schedules }) => (schedules.length === 0 ? '-' : String(schedules.length)),
  },
  { header: 'YOU GET', shrinkTo: 12, leaveOut: 1, cell: ({ rowsForYou }) => rowsForYou },
];

export function reportDetail(report: Report, screen: Screen): string[] {
  const { paint } = screen;
  const fields: Field[] = [
    ['title', report.title],
    ['about', report.description],
    ['formats', formatsOf(report)],
    ['in order of', report.key.join(', ')],
    ['rows', report.rowRules.join('\n')],
    ['you get', report.rowsForYou],
    ['schedules', report.schedules.map(scheduleInWords).join('\n') || null],
    ['follows', report.after.join('\n') || null],
    ['file', report.file],
  ];
  return [
    paint('bold', report.name),
    ...fieldLines(fields, screen),
    ...(report.parameters.length === 0 ? [] : ['', '  Parameters']),
    ...fieldLines(
      report.parameters.map((each): Field => [`  --${each.name}`, parameterInWords(each)]),
      screen,
    ),
    ...(report.problems.length === 0
      ? []
      : ['', ...report.problems.map((each) => problemLine(each, paint))]),
    '',
    `  millrace report run ${report.name}${report.parameters
      .filter(({ required }) => required)
      .map(({ example }) => ` ${example}`)
      .join('')} -o ${report.name}.${report.formats[0] ?? 'csv'}`,
  ];
}

function formatsOf({ formats, compression }: Report): string {
  const packed = compression === null ? '' : `, compressed with ${compression} by default`;
  return `${formats.join(', ')}${packed}`;
}

function scheduleInWords({ name, cron, timeZone, as }: Report['schedules'][number]): string {
  return `${name}: ${cron} in ${timeZone}, as ${as}`;
}
