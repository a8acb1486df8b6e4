import { nearest } from '@millrace/docx';
import type { Database } from '@millrace/store-postgres';
import { templateRows } from './records.ts';

/** So many names are looked at: whoever has more templates gets no hint about the others. */
const MOST_NAMES = 1_000;

/** The name that was probably meant by a misspelt one: one of everybody's, or of `owner`. */
export async function nearestTemplate(
  database: Database,
  asked: string,
  tenant: string,
  owner: string | null,
): Promise<string | undefined> {
  const templates = await templateRows.list(
    database,
    { tenants: [tenant], owner },
    ['', ''],
    MOST_NAMES,
  );
  return nearest(
    asked,
    templates.flatMap(({ info }) => (info.owner === null || info.owner === owner ? info.name : [])),
  );
}
