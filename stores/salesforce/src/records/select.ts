import { type Filter, type Phase, STATE_OF_PHASE } from '@millrace/engine';
import { soqlText, soqlTime } from '@millrace/salesforce';
import type { Context } from '../context.ts';
import { type Row, columns, rowOf } from './row.ts';

/** Queries that one composite call may hold. */
const QUERIES = 5;
/** Ids of one query: within SOQL's 100,000 characters, and within what one answer may hold. */
const IDS_AT_ONCE = 500;

export async function selectByIds(
  context: Context,
  ids: readonly string[],
  what: 'summary' | 'whole' = 'summary',
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const wanted = [...new Set(ids)];
  for (let from = 0; from < wanted.length; from += IDS_AT_ONCE) {
    const some = wanted.slice(from, from + IDS_AT_ONCE);
    for (const row of await select(context, `Id IN (${texts(some)})`, { what }))
      found.set(row.id, row);
  }
  return found;
}

export async function select(
  context: Context,
  where: string,
  {
    what = 'summary',
    order,
    limit,
  }: { what?: 'summary' | 'whole'; order?: string; limit?: number } = {},
): Promise<Row[]> {
  const records = await context.salesforce.query<object>(
    soql(columns(context, what), context, where, {
      ...(order && { order }),
      ...(limit && { limit }),
    }),
  );
  return records.map((record) => rowOf(context, record));
}

/** Several queries in one call. */
export async function answersTo(
  { salesforce }: Context,
  queries: readonly string[],
): Promise<object[][]> {
  const answers: object[][] = [];
  for (let from = 0; from < queries.length; from += QUERIES) {
    const some = queries.slice(from, from + QUERIES);
    const responses = await salesforce.composite(
      some.map((query, index) => ({
        method: 'GET',
        url: `query?q=${encodeURIComponent(query)}`,
        referenceId: `q${index}`,
      })),
      { allOrNone: false, repeatable: true },
    );
    for (const [index, { httpStatusCode, body }] of responses.entries()) {
      const isAnswered = httpStatusCode < 300;
      // A query that failed inside the composite call is sent alone: only then Salesforce says why.
      if (isAnswered) answers.push((body as { records?: object[] }).records ?? []);
      else answers.push(await salesforce.query<object>(some[index] ?? ''));
    }
  }
  return answers;
}

export function soql(
  what: string,
  { names }: Context,
  where: string,
  { order, limit }: { order?: string; limit?: number } = {},
): string {
  return [
    `SELECT ${what} FROM ${names.document}`,
    where === '' ? '' : `WHERE ${where}`,
    order === undefined ? '' : `ORDER BY ${order}`,
    limit === undefined ? '' : `LIMIT ${limit}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

export function texts(values: readonly string[]): string {
  return values.map(soqlText).join(', ');
}

/** Records made by people and by Apex leave the kind empty. */
export function ofKind({ names, defaultKind }: Context, kind: string): string {
  const field = names.field.kind;
  return kind === defaultKind
    ? `(${field} = null OR ${field} = ${soqlText(kind)})`
    : `${field} = ${soqlText(kind)}`;
}

/** High priorities first, none last, then the oldest. Ids grow: they order what was made in one second. */
export function claimOrder({ names }: Context): string {
  return `${names.field.priority} DESC NULLS LAST, CreatedDate ASC, Id ASC`;
}

/** Null when nothing can fit: an org is one tenant's. */
export function filterOf(context: Context, filter: Filter): string | null {
  const { tenant } = context;
  if (filter.tenant !== undefined && filter.tenant !== tenant) return null;
  if (filter.tenants !== undefined && !filter.tenants.includes(tenant)) return null;
  const { field } = context.names;
  const parts: string[] = [];
  if (filter.submitter !== undefined) parts.push(submittedBy(context, filter.submitter));
  if (filter.state !== undefined) parts.push(`${field.status} = ${soqlText(filter.state)}`);
  // Schedules make no records.
  if (filter.schedule !== undefined) return null;
  if (filter.phases !== undefined)
    parts.push(anyOf(filter.phases.map((each) => inPhase(context, each))));
  if (filter.kind !== undefined) parts.push(ofKind(context, filter.kind));
  if (filter.kinds !== undefined)
    parts.push(anyOf(filter.kinds.map((kind) => ofKind(context, kind))));
  if (filter.worker !== undefined)
    parts.push(`${field.status} = 'PROCESSING' AND ${field.worker} = ${soqlText(filter.worker)}`);
  if (filter.search !== undefined) parts.push(hasText(context, filter.search));
  if (filter.key !== undefined) parts.push(keyIs(context, filter));
  if (filter.correlationId !== undefined)
    parts.push(`${field.correlationId} = ${soqlText(filter.correlationId)}`);
  if (filter.errorCode !== undefined)
    parts.push(`${field.errorCode} = ${soqlText(filter.errorCode)}`);
  if (filter.createdAfter !== undefined)
    parts.push(`CreatedDate >= ${soqlTime(filter.createdAfter)}`);
  if (filter.createdBefore !== undefined)
    parts.push(`CreatedDate < ${soqlTime(filter.createdBefore)}`);
  return parts.join(' AND ');
}

function anyOf(conditions: readonly string[]): string {
  // A condition that no record fits is written as an id that no record has.
  return conditions.length === 0 ? 'Id = null' : `(${conditions.join(' OR ')})`;
}

function inPhase({ names: { field }, salesforce }: Context, phase: Phase): string {
  const isState = `${field.status} = ${soqlText(STATE_OF_PHASE[phase])}`;
  const now = soqlTime(salesforce.now());
  switch (phase) {
    case 'due':
      return `(${isState} AND (${field.due} = null OR ${field.due} <= ${now}))`;
    case 'scheduled':
      return `(${isState} AND ${field.due} > ${now} AND ${field.errorCode} = null)`;
    case 'retrying':
      return `(${isState} AND ${field.due} > ${now} AND ${field.errorCode} != null)`;
    default:
      return isState;
  }
}

function hasText(context: Context, text: string): string {
  const { field } = context.names;
  const recordId = context.ids.recordId(text);
  const begins = `${field.kind} LIKE ${likeText(`${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)}`;
  return anyOf([
    ...(recordId === null ? [] : [`Id = ${soqlText(recordId)}`]),
    keyIs(context, { key: text }),
    `${field.correlationId} = ${soqlText(text)}`,
    submittedBy(context, text),
    ...(context.defaultKind.startsWith(text) ? [`${field.kind} = null`] : []),
    begins,
  ]);
}

/** Records made by people and by Apex leave the submitter empty: it is then who made them. */
function submittedBy({ names }: Context, submitter: string): string {
  const [field, who] = [names.field.submitter, soqlText(submitter)];
  return `(${field} = ${who} OR (${field} = null AND CreatedBy.Username = ${who}))`;
}

/** Without a kind it may be that of any: documents have it bare, others behind their name. */
function keyIs({ names, keys }: Context, { key = '', kind }: Filter): string {
  const field = names.field.key;
  if (kind !== undefined) return `${field} = ${soqlText(keys.write(kind, key))}`;
  const like = key.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return `(${field} = ${soqlText(key)} OR ${field} LIKE ${likeText(`%::${like}`)})`;
}

/** `\%` and `\_` are escapes of LIKE itself, so their backslash is not doubled. */
function likeText(pattern: string): string {
  return soqlText(pattern).replaceAll(/\\\\([%_])/g, String.raw`\$1`);
}
