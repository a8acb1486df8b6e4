import type { LintReport } from '@millrace/documents/contract';
import type { Paint } from '../../render/colour.ts';
import { counted } from '../../render/number.ts';
import { clean } from '../../render/width.ts';

type Problem = LintReport['problems'][number];
type Place = Pick<Problem, 'part' | 'paragraph' | 'snippet'>;

/** The common part of reports by the server and by the local check. */
export interface Report {
  readonly problems: readonly Problem[];
  readonly fields: readonly ({ readonly path: string } & Place)[];
}

/** As one reads the template. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => {
    const [first = '', second = ''] = [a.part, b.part];
    if (first !== second) return first < second ? -1 : 1;
    return (a.paragraph ?? 0) - (b.paragraph ?? 0);
  });
}

/** `word/document.xml:3: The block is not closed.  "{{#if Paid}}"`, as compilers do it. */
export function problemLine(problem: Problem, paint: Paint): string {
  const { severity, message, snippet } = problem;
  const isError = severity === 'error';
  const place = placeOf(problem);
  const before = `${place === '' ? '' : `${place}: `}${isError ? '' : 'warning: '}`;
  const after = snippet === undefined || snippet === '' ? '' : `  "${clean(snippet)}"`;
  return `${clean(before)}${paint(isError ? 'red' : 'yellow', clean(message))}${paint('dim', after)}`;
}

export function placeOf({ part, paragraph }: Place): string {
  if (part === undefined) return '';
  return paragraph === undefined ? part : `${part}:${paragraph}`;
}

/** Each field once, where it comes first, by its path. */
export function fieldsOf({ fields }: Report): Report['fields'] {
  const first = new Map<string, Report['fields'][number]>();
  for (const field of fields) if (!first.has(field.path)) first.set(field.path, field);
  return [...first.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** `2 errors, 1 warning, 12 fields.` */
export function summaryOf(report: Report): string {
  const errors = report.problems.filter(({ severity }) => severity === 'error').length;
  const warnings = report.problems.length - errors;
  const parts = [
    report.problems.length === 0 ? 'No problems' : '',
    errors === 0 ? '' : counted(errors, 'error'),
    warnings === 0 ? '' : counted(warnings, 'warning'),
    counted(fieldsOf(report).length, 'field'),
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}
