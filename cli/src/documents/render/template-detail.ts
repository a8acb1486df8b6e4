import type { LintReport, Template } from '@millrace/documents/contract';
import type { Screen } from '../../terminal/screen.ts';
import { fieldLines } from '../../render/fields.ts';
import { count, size } from '../../render/number.ts';
import { fieldsOf, inOrder, problemLine } from './problems.ts';
import { relative } from '../../render/time.ts';
import { clean } from '../../render/width.ts';

/** Everything about one version, top to bottom. */
export function templateDetail(
  template: Template,
  lint: LintReport,
  now: number,
  screen: Screen,
): string[] {
  const { name, version, id, createdAt, createdBy, sha256 } = template;
  const { paint } = screen;
  const by = createdBy === null ? '' : ` by ${createdBy}`;
  const fields = fieldsOf(lint).map(({ path }) => path);
  return [
    `${paint('bold', clean(name))}  version ${count(version)}  ${id}`,
    ...fieldLines(
      [
        ['added', `${relative(createdAt, now)}${by}`],
        ['size', size(template.size)],
        ['sha256', sha256],
        ['fields', fields.length === 0 ? 'none' : fields.join('\n')],
        ['fonts', lint.fonts.length === 0 ? null : lint.fonts.join(', ')],
        ['missing', lint.missingFonts.length === 0 ? null : lint.missingFonts.join(', ')],
      ],
      screen,
    ),
    ...(lint.problems.length === 0 ? [] : ['']),
    ...inOrder(lint.problems).map((problem) => problemLine(problem, paint)),
  ];
}
