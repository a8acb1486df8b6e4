import type { Complain } from '@millrace/workload-kit';
import type { RowCondition, RowRule } from '../identity/types.ts';
import type { ReportFile, RowRuleWords } from './schema.ts';

/**
 * Who sees which rows. A report without rules would show everything to everyone who may run reports: it has to say
 * `public: true` for that, and cannot say both.
 */
export function rowRulesOf(file: ReportFile, complain: Complain): RowRule[] {
  const { rows } = file;
  if (file.public === true && rows !== undefined)
    complain(
      ['rows'],
      'the report says public: true, so that everyone sees all rows. Remove one of the two.',
      {
        atKey: true,
      },
    );
  if (file.public !== true && rows === undefined)
    complain(
      [],
      'it does not say who sees which rows. Write rows: with rules such as - { column: county_id, claim: county }, or public: true if everyone may see all of them.',
    );
  let isOpen = true;
  return (rows ?? []).map((words, index) => {
    if (!isOpen)
      complain(
        ['rows', index],
        'the rule before is about everyone, so that nobody comes to this one. Remove it, or put it first.',
      );
    const rule = rowRuleOf(words, index, complain);
    isOpen &&= isSelective(rule);
    return rule;
  });
}

function rowRuleOf(words: RowRuleWords, index: number, complain: Complain): RowRule {
  const { roles = null, when = {}, see, column, claim, is, all } = words;
  const path = ['rows', index];
  const forms = [see, column, all].filter((each) => each !== undefined).length;
  if (forms !== 1)
    complain(
      path,
      'a rule says one thing: see: all, see: nothing, a column with its claim, or all: with several of these.',
    );
  if (column === undefined && (claim !== undefined || is !== undefined))
    complain(path, `${claim === undefined ? 'is' : 'claim'} is about a column. Write column: too.`);
  const rule = { roles, when };
  if (see === 'all') {
    if (roles === null && Object.keys(when).length === 0)
      complain(
        path,
        'this rule shows all rows to everyone. Name roles or a claim for it, or write public: true instead of rows.',
      );
    return { ...rule, see };
  }
  if (see === 'nothing') return { ...rule, see };
  const several = all ?? (column === undefined ? [] : [{ column, claim, is }]);
  return {
    ...rule,
    see: several.map((each, place) =>
      conditionOf(each, all === undefined ? path : [...path, 'all', place], complain),
    ),
  };
}

function conditionOf(
  words: { column: string; claim?: string | undefined; is?: string[] | undefined },
  path: readonly (string | number)[],
  complain: Complain,
): RowCondition {
  const { column, claim, is } = words;
  if ((claim === undefined) === (is === undefined))
    complain(
      path,
      'a column has one of the values of a claim (claim: county) or of the file (is: [open]).',
    );
  return claim === undefined ? { column, is: is ?? [] } : { column, claim };
}

/** Whether there is someone whom the rule is not about. */
function isSelective({ roles, when, see }: RowRule): boolean {
  return (
    roles !== null ||
    Object.keys(when).length > 0 ||
    (typeof see !== 'string' && see.some((each) => 'claim' in each))
  );
}
