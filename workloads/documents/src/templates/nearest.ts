import { nearest } from '@millrace/docx';
import type { Database } from '@millrace/store-postgres';
import { templateRows } from './records.ts';

/** So many names are looked at: whoever has more templates gets no hint about the others. */
const MOST_NAMES = 1_000;

/** The name that was probably meant by a misspelt one. */
export async function nearestTemplate(
  database: Database,
  asked: string,
  tenant: string,
): Promise<string | undefined> {
  const templates = await templateRows.list(database, [tenant], ['', ''], MOST_NAMES);
  return nearest(
    asked,
    templates.map(({ info }) => info.name),
  );
}
