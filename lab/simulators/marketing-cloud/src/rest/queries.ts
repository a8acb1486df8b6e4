import { type Answer, json } from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import {
  type QueryDefinition,
  UPDATE_TYPES,
  type Unit,
  dataExtensionByKey,
} from '../data/account.ts';
import { serverTime } from '../data/dates.ts';
import { InvalidQuery, makeQuery } from '../queries.ts';
import { DuckdbMissing } from '../sql/duckdb.ts';
import { QueryError } from '../sql/run-sql.ts';
import { invalidValue, missingField, notFound, unavailable } from './answers.ts';

type Body = Readonly<Record<string, unknown>>;

export function createQuery(cloud: Cloud, unit: Unit, body: Body): Answer {
  const categoryId = textIn(body, 'categoryId');
  const type = UPDATE_TYPES[numberIn(body, 'targetUpdateTypeId') ?? 0];
  if (categoryId === '') return missingField('categoryId is required.');
  if (type === undefined) return invalidValue('targetUpdateTypeId must be 0, 1 or 2.');
  try {
    const query = makeQuery(cloud, unit, {
      name: textIn(body, 'name'),
      customerKey: textIn(body, 'key'),
      description: textIn(body, 'description'),
      queryText: textIn(body, 'queryText'),
      targetKey: textIn(body, 'targetKey'),
      updateType: type,
      categoryId,
    });
    return json(200, shown(cloud, unit, query));
  } catch (thrown) {
    if (thrown instanceof InvalidQuery)
      return thrown.fault === 'missing'
        ? missingField(thrown.message)
        : invalidValue(thrown.message);
    throw thrown;
  }
}

export function getQuery(cloud: Cloud, unit: Unit, id: string): Answer {
  const query = unit.queries.get(id);
  return query === undefined ? notFound() : json(200, shown(cloud, unit, query));
}

/** 25 in the sample of gortonington.com, "How to interact with Query Activities via REST API", and the most that tenants give. */
const MOST_ON_PAGE = 25;

export function listQueries(cloud: Cloud, unit: Unit, search: URLSearchParams): Answer {
  const page = Math.max(1, Number(search.get('$page') ?? 1) || 1);
  const asked = Number(search.get('$pagesize') ?? search.get('$pageSize')) || MOST_ON_PAGE;
  const pageSize = Math.min(MOST_ON_PAGE, Math.max(1, asked));
  const all = [...unit.queries.values()];
  const items = all.slice((page - 1) * pageSize, page * pageSize);
  return json(200, {
    page,
    pageSize,
    count: all.length,
    items: items.map((query) => shown(cloud, unit, query)),
  });
}

/**
 * The error text of the last run. Tenants answer with an empty text where it went well (the coverage map of the client mcecli); more of
 * its form is not described anywhere.
 */
export function queryLog(unit: Unit, id: string): Answer {
  if (!unit.queries.has(id)) return notFound();
  const last = [...unit.tasks.values()].findLast(({ query }) => query.objectId === id);
  return json(200, last?.errorMessage ?? '');
}

export function deleteQuery(unit: Unit, id: string): Answer {
  return unit.queries.delete(id) ? json(200, 'OK') : notFound();
}

export function startQuery(cloud: Cloud, unit: Unit, id: string): Answer {
  const query = unit.queries.get(id);
  if (query === undefined) return notFound();
  cloud.tasks.start(unit, query);
  return json(200, 'OK');
}

/** False while the query is still Queued. */
export function isRunning(cloud: Cloud, unit: Unit, id: string, saysNo: boolean): Answer {
  if (!unit.queries.has(id)) return notFound();
  const running = cloud.tasks.isRunning(id) && !saysNo;
  return json(200, { queryDefinitionId: id, isRunning: running });
}

export async function validate(cloud: Cloud, unit: Unit, body: Body): Promise<Answer> {
  const text = textIn(body, 'Text') || textIn(body, 'text');
  if (text === '') return missingField('Text is required.');
  try {
    await cloud.runner.check(unit, text);
    return json(200, { queryValid: true, errors: [], warnings: [] });
  } catch (thrown) {
    // The SQL may be good: nobody can tell where nothing is there to run it.
    if (thrown instanceof DuckdbMissing) return unavailable(thrown.message);
    if (!(thrown instanceof QueryError)) throw thrown;
    return json(200, { queryValid: false, errors: [thrown.message], warnings: [] });
  }
}

function shown(cloud: Cloud, unit: Unit, query: QueryDefinition): Record<string, unknown> {
  const target = dataExtensionByKey(unit, query.targetKey, cloud.clock.now());
  return {
    queryDefinitionId: query.objectId,
    name: query.name,
    key: query.customerKey,
    description: query.description,
    queryText: query.queryText,
    targetName: target?.name ?? '',
    targetKey: query.targetKey,
    targetId: target?.objectId ?? '',
    targetDescription: target?.description ?? '',
    createdDate: serverTime(query.createdAt),
    modifiedDate: serverTime(query.modifiedAt),
    targetUpdateTypeId: UPDATE_TYPES.indexOf(query.updateType),
    targetUpdateTypeName: query.updateType,
    categoryId: Number(query.categoryId),
    isFrozen: false,
  };
}

function textIn(body: Body, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function numberIn(body: Body, name: string): number | null {
  const value = body[name];
  return typeof value === 'number' ? value : null;
}
