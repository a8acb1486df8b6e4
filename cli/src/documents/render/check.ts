import type { CheckedFile } from '../check-files.ts';
import type { Column } from '../../render/table.ts';
import { count } from '../../render/number.ts';

/** Files with one result, and why it is so. */
export interface CheckGroup {
  readonly result: string;
  readonly files: number;
  /** The first few names. */
  readonly names: readonly string[];
  /** The message of the first. */
  readonly why: string;
  readonly kind: 'works' | 'failed' | 'warning';
}

export interface CheckSummary {
  readonly files: number;
  readonly compiled: number;
  readonly converted: number;
  readonly lostText: number;
  /** Files for which something was thrown that nobody meant to throw. */
  readonly untyped: number;
}

const NAMES = 3;

/** Working files first, then failures with the most frequent reason first, then warnings. */
export function groupsOf(checked: readonly CheckedFile[]): CheckGroup[] {
  const groups = new Map<string, CheckGroup>();
  const add = (kind: CheckGroup['kind'], result: string, why: string, file: string): void => {
    const known = groups.get(result) ?? { result, files: 0, names: [], why, kind };
    const names = known.names.length < NAMES ? [...known.names, file] : known.names;
    groups.set(result, { ...known, names, files: known.files + 1 });
  };
  for (const { file, works, failure, lostText, warnings } of checked) {
    if (works) add('works', 'works', '', file);
    if (failure !== null)
      add('failed', `${failure.step}: ${failure.code ?? 'UNTYPED'}`, failure.message, file);
    if (lostText.length > 0) add('failed', 'lost text', `"${lostText[0] ?? ''}"`, file);
    const byCode = new Map(warnings.map((warning) => [warning.code, warning.message]));
    for (const [code, message] of byCode) add('warning', `warning: ${code}`, message, file);
  }
  const order = ['works', 'failed', 'warning'];
  return [...groups.values()].toSorted(
    (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || b.files - a.files,
  );
}

export function summaryOf(checked: readonly CheckedFile[]): CheckSummary {
  const number = (wanted: (file: CheckedFile) => boolean) => checked.filter(wanted).length;
  return {
    files: checked.length,
    compiled: number(({ compiled }) => compiled),
    converted: number(({ converted }) => converted === true),
    lostText: number(({ lostText }) => lostText.length > 0),
    untyped: number(({ failure }) => failure !== null && failure.code === null),
  };
}

export function resultLine({ files, compiled, lostText, untyped }: CheckSummary): string {
  return `result: check files=${files} compiled=${compiled} lost_text=${lostText} untyped=${untyped}`;
}

const STYLES = { works: 'green', failed: 'red', warning: 'yellow' } as const;

export const CHECK_COLUMNS: readonly Column<CheckGroup>[] = [
  { header: 'FILES', align: 'right', cell: ({ files }) => count(files) },
  { header: 'RESULT', cell: ({ result }) => result, style: ({ kind }) => STYLES[kind] },
  { header: 'SUCH AS', shrinkTo: 12, cell: ({ names }) => names.join(', ') },
  { header: 'WHY', shrinkTo: 12, leaveOut: 1, cell: ({ why }) => why },
];
