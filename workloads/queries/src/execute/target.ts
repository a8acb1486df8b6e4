import type { Field } from '@millrace/marketing-cloud';
import { RunFailure } from '../errors.ts';
import type { FieldsOf } from '../catalog/catalog.ts';
import type { ColumnType, RunColumn } from '../runs/query-run.ts';
import { type OutputColumn, allText, columnsOf, tablesOf } from '../sql/columns.ts';

export interface Target {
  readonly columns: readonly RunColumn[];
  readonly fields: readonly Field[];
}

const TYPES: Readonly<Record<Field['type'], ColumnType>> = {
  Text: 'text',
  EmailAddress: 'text',
  Phone: 'text',
  Locale: 'text',
  Number: 'number',
  Decimal: 'decimal',
  Boolean: 'boolean',
  Date: 'date',
};

export function columnTypeOf(type: Field['type']): ColumnType {
  return TYPES[type];
}

/** The columns of the temporary data extension, out of the SELECT list and what is known about what it reads. */
export async function targetOf(
  run: { readonly mid: string; readonly sqlText: string; readonly asText: boolean },
  fieldsOf: FieldsOf,
): Promise<Target> {
  const own = tablesOf(run.sqlText).filter(({ isEnterprise }) => !isEnterprise);
  const known = await fieldsOf(
    run.mid,
    own.map(({ name }) => name),
  );
  const derived = columnsOf(run.sqlText, ({ name, isEnterprise }) =>
    isEnterprise ? null : (known.get(name.toLowerCase()) ?? null),
  );
  if (derived === null)
    throw new RunFailure(
      'invalid_sql',
      'The columns of the result cannot be read from the SELECT list. Name each column, and give each expression a name with AS.',
    );
  const columns: OutputColumn[] = run.asText ? allText(derived) : derived;
  return {
    columns: columns.map(({ name, type }) => ({ name, type: columnTypeOf(type) })),
    fields: columns,
  };
}
