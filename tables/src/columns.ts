import { TableError } from './errors.ts';
import { COLUMN_TYPES, type Column } from './types.ts';

const MAX_SCALE = 38;

export function checkColumns(columns: readonly Column[]): void {
  if (columns.length === 0) throw refusal('A table needs at least one column.');
  const names = new Set<string>();
  for (const { name, type, scale } of columns) {
    // Two keys of one name in a line of JSON, or two columns of Parquet, and a reader loses one of them.
    if (names.has(name)) throw refusal(`Two columns have the name "${name}". Rename one of them.`);
    names.add(name);
    if (!COLUMN_TYPES.includes(type)) {
      throw refusal(
        `The column "${name}" has the type "${type}"; there are ${COLUMN_TYPES.join(', ')}.`,
      );
    }
    if (scale === undefined) continue;
    if (type !== 'decimal') throw refusal(`The column "${name}" is no decimal and has no scale.`);
    if (!Number.isInteger(scale) || scale < 0 || scale > MAX_SCALE) {
      throw refusal(`The scale of the column "${name}" is ${scale}; it may be 0 to ${MAX_SCALE}.`);
    }
  }
}

function refusal(message: string): TableError {
  return new TableError('bad_columns', message);
}
