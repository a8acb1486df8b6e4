import type { BusinessUnit } from '@millrace/marketing-cloud';
import type { FieldsOf, NamesOf } from './catalog/catalog.ts';
import type { SqlProblem, SqlReport } from './contract/sql.ts';
import { columnTypeOf } from './execute/target.ts';
import { TEMPORARY } from './runs/asset-keys.ts';
import { checkSql } from './sql/check.ts';
import { hintFor } from './sql/hints.ts';
import { FINDINGS } from './sql/findings.ts';
import { type Catalogue, NO_CATALOGUE, columnsOf, tablesOf } from './sql/columns.ts';
import { lex, unquoted } from './sql/tokens.ts';

/** Every code that a problem can have: what the text shows, and what only we and Marketing Cloud know. */
export const PROBLEMS = {
  ...FINDINGS,
  temporary_data_extension: {
    severity: 'error',
    about: 'The data extension of a run, which holds the rows of somebody.',
  },
  enterprise_table: {
    severity: 'error',
    about: 'A table of the parent business unit (`Ent.`), where tenants may not read it.',
  },
  marketing_cloud: {
    severity: 'error or warning',
    about: 'What Marketing Cloud itself says, in its words and without a place.',
  },
} as const;

export interface Rules {
  /** Whether tables of the parent business unit may be read. */
  readonly enterpriseTables: boolean;
}

/** All that is surely wrong with a text, or likely to be. */
export function problemsOf(sql: string, rules: Rules, catalogue?: Catalogue): SqlProblem[] {
  const found = checkSql(sql, catalogue).findings.map(
    ({ severity, code, message, line, column }) => ({ severity, code, message, line, column }),
  );
  return [
    ...found,
    ...temporaryNames(sql),
    ...(rules.enterpriseTables ? [] : enterpriseTables(sql)),
  ];
}

/**
 * The rows of somebody else's run lie in a data extension of the same business unit. Its name is refused wherever it stands,
 * also in text and comments: nobody needs it there.
 */
function temporaryNames(sql: string): SqlProblem[] {
  return [...sql.matchAll(new RegExp(TEMPORARY, 'gi'))]
    .slice(0, MOST)
    .map(({ 0: name, index }) => ({
      severity: 'error',
      code: 'temporary_data_extension',
      message: `${name} holds the rows of a run. Read them with GET /runs/ID/results.`,
      ...placeOf(sql, index),
    }));
}

/** By tokens, wherever they stand: a boundary must not depend on how well the rest of a query is understood. */
function enterpriseTables(sql: string): SqlProblem[] {
  const code = lex(sql).tokens.filter(({ kind }) => kind !== 'comment');
  return code
    .filter((token, index) => {
      if (token.kind !== 'word' && token.kind !== 'name') return false;
      const name = unquoted(token).normalize('NFKC').trim().toLowerCase();
      const isPrefix = name === 'ent' && code[index + 1]?.text.startsWith('.') === true;
      return isPrefix || /^ent\s*\./.test(name);
    })
    .slice(0, MOST)
    .map(({ start }) => ({
      severity: 'error',
      code: 'enterprise_table',
      message:
        'Ent. reads a table of the parent business unit, which your tenant may not. If Ent is a name of your own here, choose another.',
      ...placeOf(sql, start),
    }));
}

/** Nobody reads more of them, and each place is counted from the beginning of the text. */
const MOST = 50;

function placeOf(sql: string, index: number): { readonly line: number; readonly column: number } {
  const before = sql.slice(0, index).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export interface Asking {
  readonly unit: BusinessUnit;
  readonly fieldsOf: FieldsOf;
  readonly namesOf: NamesOf;
  readonly correlationId: string;
  readonly signal: AbortSignal;
}

/** `asking` null: without Marketing Cloud, which then knows more. It is asked only where nothing is surely wrong. */
export async function validateSql(
  sql: string,
  rules: Rules,
  asking: Asking | null,
): Promise<SqlReport> {
  const local = problemsOf(sql, rules);
  if (asking === null || local.some(isError)) return report(sql, local, NO_CATALOGUE, false);
  const { unit, fieldsOf, namesOf, correlationId, signal } = asking;
  const own = tablesOf(sql).filter(({ isEnterprise }) => !isEnterprise);
  const names = own.map(({ name }) => name);
  const [known, said] = await Promise.all([
    fieldsOf(unit.mid, names),
    unit.validate(sql, { correlationId, signal }),
  ]);
  const catalogue: Catalogue = ({ name, isEnterprise }) =>
    isEnterprise ? null : (known.get(name.toLowerCase()) ?? null);
  const around = { mid: unit.mid, fieldsOf, namesOf };
  const errors = await Promise.all(
    said.errors.map(async (message) => `${message} ${await hintFor(sql, message, around)}`.trim()),
  );
  const problems = [
    ...problemsOf(sql, rules, catalogue),
    ...errors.map((message) => saidBy('error', message)),
    ...said.warnings.map((message) => saidBy('warning', message)),
    ...(said.valid || said.errors.length > 0
      ? []
      : [saidBy('error', 'Marketing Cloud refuses the query and does not say why.')]),
  ];
  return report(sql, problems, catalogue, true);
}

function report(
  sql: string,
  problems: SqlProblem[],
  catalogue: Catalogue,
  askedMarketingCloud: boolean,
): SqlReport {
  const valid = !problems.some(isError);
  const columns = valid ? columnsOf(sql, catalogue) : null;
  return {
    valid,
    problems,
    columns: columns?.map(({ name, type }) => ({ name, type: columnTypeOf(type) })) ?? null,
    askedMarketingCloud,
  };
}

function isError({ severity }: SqlProblem): boolean {
  return severity === 'error';
}

/** Marketing Cloud names no place. */
function saidBy(severity: SqlProblem['severity'], message: string): SqlProblem {
  return { severity, code: 'marketing_cloud', message, line: null, column: null };
}
