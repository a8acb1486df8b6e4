import { nearest } from '@millrace/workload-kit/contract';
import type { FieldsOf, NamesOf } from '../catalog/catalog.ts';
import { tablesOf } from './columns.ts';
import { VIEWS } from './views.ts';

/** What there is in the business unit that refused. */
export interface Known {
  readonly mid: string;
  readonly fieldsOf: FieldsOf;
  readonly namesOf: NamesOf;
}

/** What helps with a refusal of Marketing Cloud's, which names the fault and no remedy; empty where nothing is known. */
export async function hintFor(sqlText: string, message: string, known: Known): Promise<string> {
  const table = /(?:^|\s)(\S+) is not a known data extension/i.exec(message)?.[1];
  if (table !== undefined) return tableHint(table.replaceAll(/[[\]]/g, ''), known);
  const column = /Invalid column name '([^']+)'/i.exec(message)?.[1];
  if (column === undefined) return '';
  if (sqlText.includes(`"${column}"`))
    return `"${column}" in double quotes is a name: write '${column}' for text.`;
  const guess = guessed(column, await fieldsIn(sqlText, known));
  return `${guess}The catalog (millrace catalog NAME) lists the fields of a table.`;
}

/** Names of the parent business unit are not looked up. */
async function tableHint(table: string, { mid, namesOf }: Known): Promise<string> {
  const isEnterprise = /^ent\./i.test(table);
  const names = isEnterprise ? [] : await namesOf(mid);
  const guess = guessed(isEnterprise ? table.slice('ent.'.length) : table, [
    ...VIEW_NAMES,
    ...names,
  ]);
  return `${guess}The catalog (millrace catalog) lists what there is; a name with spaces or - stands in [ ].`;
}

async function fieldsIn(sqlText: string, { mid, fieldsOf }: Known): Promise<string[]> {
  const tables = tablesOf(sqlText);
  const own = tables.filter(({ isEnterprise }) => !isEnterprise).map(({ name }) => name);
  const known = await fieldsOf(mid, own);
  return tables.flatMap(({ name, isEnterprise }) => {
    const fields = isEnterprise ? undefined : known.get(name.toLowerCase());
    const view = VIEWS.get(name.toLowerCase());
    return [...(fields ?? []), ...(view?.fields ?? [])].map((field) => field.name);
  });
}

function guessed(name: string, names: readonly string[]): string {
  const near = nearest(name, names, Math.max(MOST_SLIPS, Math.floor(name.length / 6)));
  return near === null ? '' : `Did you mean ${near}? `;
}

/** Names are short: two slips at the most, or one in six letters, so that nobody is pointed at something else. */
const MOST_SLIPS = 2;
const VIEW_NAMES = [...VIEWS.values()].map(({ name }) => name);
