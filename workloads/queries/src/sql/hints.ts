import { nearest } from '@millrace/workload-kit/contract';
import { VIEWS } from './views.ts';

/** What helps with a refusal of Marketing Cloud's, which names the fault and no remedy; empty where nothing is known. */
export function hintFor(sqlText: string, message: string): string {
  const table = /(?:^|\s)(\S+) is not a known data extension/i.exec(message)?.[1];
  if (table !== undefined) {
    const near = nearest(table.replaceAll(/[[\]]/g, ''), VIEW_NAMES, MOST_SLIPS);
    const guess = near === null ? '' : `Did you mean ${near}? `;
    return `${guess}The catalog (millrace catalog) lists what there is; a name with spaces or - stands in [ ].`;
  }
  const column = /Invalid column name '([^']+)'/i.exec(message)?.[1];
  if (column === undefined) return '';
  if (sqlText.includes(`"${column}"`))
    return `"${column}" in double quotes is a name: write '${column}' for text.`;
  return 'The catalog (millrace catalog NAME) lists the fields of a table.';
}

/** Names of data views are short: two slips at the most, so that nobody is pointed at something else. */
const MOST_SLIPS = 2;
const VIEW_NAMES = [...VIEWS.values()].map(({ name }) => name);
