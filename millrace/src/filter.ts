import {
  type FieldTable,
  type Filter,
  type ListParams,
  PHASES,
  STATES,
  fieldsOf,
} from '@millrace/engine';

const FIELDS: FieldTable<Filter> = {
  state: true,
  phases: true,
  kind: true,
  kinds: true,
  tenant: true,
  tenants: true,
  submitter: true,
  worker: true,
  schedule: true,
  key: true,
  correlationId: true,
  errorCode: true,
  search: true,
  createdAfter: true,
  createdBefore: true,
};

const LIST_FIELDS: FieldTable<ListParams> = { filter: true, limit: true, cursor: true };

interface Rule {
  readonly allows: (value: unknown) => boolean;
  readonly allowed: string;
}

const TEXT: Rule = { allows: (value) => typeof value === 'string', allowed: 'a text' };
const TEXTS: Rule = { allows: listOf(TEXT.allows), allowed: 'a list of texts' };
const MOMENT: Rule = {
  allows: (value) => Number.isFinite(value),
  allowed: 'milliseconds since 1970, such as Date.now()',
};

const RULES: Partial<Record<string, Rule>> = {
  state: oneOf(STATES),
  phases: { allows: listOf(oneOf(PHASES).allows), allowed: `a list of ${PHASES.join(', ')}` },
  kind: { allows: TEXT.allows, allowed: 'the name of a kind, such as greet.kind' },
  kinds: TEXTS,
  tenants: TEXTS,
  createdAfter: MOMENT,
  createdBefore: MOMENT,
};

/** Programs may be JavaScript. A misspelt field would leave its condition out, and all jobs would fit. */
export function checkFilter(of: string, filter: Filter): Filter {
  const fields = fieldsOf(of);
  fields.require('filter', isObject(filter), 'an object, such as { kind: "greet" }');
  fields.known(filter, FIELDS);
  for (const [field, value] of Object.entries(filter)) {
    const { allows, allowed } = RULES[field] ?? TEXT;
    fields.require(field, value === undefined || allows(value), allowed);
  }
  return filter;
}

/**
 * For calls that change all matching jobs. `cancelWhere({ tenant: user.tenant })` must not cancel the jobs of everybody because one
 * user has no tenant.
 */
export function checkBulkFilter(of: string, filter: Filter): Filter {
  checkFilter(of, filter);
  for (const [field, value] of Object.entries(filter))
    fieldsOf(of).require(
      field,
      value !== undefined,
      'a value. It is there and empty, and every job would fit. Leave it out if that is what you mean',
    );
  return filter;
}

export function checkList(params: Partial<ListParams>): void {
  fieldsOf('list').known(params, LIST_FIELDS);
  if (params.filter !== undefined) checkFilter('list', params.filter);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function listOf(allows: Rule['allows']): Rule['allows'] {
  return (value) => Array.isArray(value) && value.every(allows);
}

function oneOf(words: readonly string[]): Rule {
  return {
    allows: (value) => words.some((word) => word === value),
    allowed: `one of ${words.join(', ')}`,
  };
}
