import { id18, isId, soqlText } from '@millrace/salesforce';
import type { Context } from '../context.ts';
import { texts } from './select.ts';

/** Versions of one file that are looked for among the templates; a file with more is found by its newest. */
const MOST_VERSIONS = 200;

/**
 * The user of the service sees files of everybody, so a file that no template names is nobody's to ask for. Earlier versions of
 * a template's file are templates still: records that were queued before the template moved on name them. One query for the
 * version that a template names now, three more for an earlier one.
 */
export async function isTemplate(context: Context, versionId: string): Promise<boolean> {
  const { salesforce } = context;
  if (await isNamed(context, [versionId])) return true;
  const [version] = await salesforce.query<{ readonly ContentDocumentId?: string | null }>(
    `SELECT ContentDocumentId FROM ContentVersion WHERE Id = ${soqlText(versionId)}`,
  );
  const file = version?.ContentDocumentId ?? null;
  if (file === null) return false;
  const versions = await salesforce.query<{ readonly Id: string }>(
    `SELECT Id FROM ContentVersion WHERE ContentDocumentId = ${soqlText(file)} ORDER BY CreatedDate DESC LIMIT ${MOST_VERSIONS}`,
  );
  return isNamed(
    context,
    versions.map(({ Id }) => Id),
  );
}

/** SOQL compares texts without regard to case, and ids of 15 characters differ by case: what it finds is compared again. */
async function isNamed(
  { salesforce, names: { template, templateVersion } }: Context,
  versionIds: readonly string[],
): Promise<boolean> {
  const wanted = new Set(versionIds.map(id18));
  const either = [...wanted].flatMap((id) => [id, id.slice(0, 15)]);
  const found = await salesforce.query<Readonly<Record<string, unknown>>>(
    `SELECT ${templateVersion} FROM ${template} WHERE ${templateVersion} IN (${texts(either)})`,
  );
  return found.some(({ [templateVersion]: id }) => {
    return typeof id === 'string' && isId(id) && wanted.has(id18(id));
  });
}
