import { randomUUID } from 'node:crypto';
import type { Cloud } from './cloud.ts';
import {
  type QueryDefinition,
  UPDATE_TYPES,
  type Unit,
  type UpdateType,
  FOLDERS,
  dataExtensionByKey,
  queryByKey,
} from './data/account.ts';

/** A query activity is not what it has to be; SOAP and REST say so each in its own shape. */
export class InvalidQuery extends Error {
  override readonly name = 'InvalidQuery';
  /** `taken`: its name or key is that of another one. */
  readonly fault: 'missing' | 'taken' | 'invalid';

  constructor(message: string, fault: InvalidQuery['fault'] = 'invalid') {
    super(message);
    this.fault = fault;
  }
}

export type NewQuery = Omit<QueryDefinition, 'objectId' | 'id' | 'createdAt' | 'modifiedAt'>;

/** 36 characters: "QueryDefinition", SOAP objects. */
const LONGEST_KEY = 36;

/** Whether it can run is asked when it is started, as SOAP does. */
export function makeQuery(cloud: Cloud, unit: Unit, spec: NewQuery): QueryDefinition {
  const { name, queryText } = spec;
  const customerKey = spec.customerKey === '' ? randomUUID() : spec.customerKey;
  if (name === '') throw new InvalidQuery('Name is a required field.', 'missing');
  if (queryText === '') throw new InvalidQuery('QueryText is a required field.', 'missing');
  if (customerKey.length > LONGEST_KEY) {
    throw new InvalidQuery(`CustomerKey must be ${LONGEST_KEY} characters or fewer.`);
  }
  if (dataExtensionByKey(unit, spec.targetKey, cloud.clock.now()) === null) {
    throw new InvalidQuery(`The target data extension '${spec.targetKey}' does not exist.`);
  }
  const names = [...unit.queries.values()].map((query) => query.name.toLowerCase());
  if (queryByKey(unit, customerKey) !== null || names.includes(name.toLowerCase())) {
    throw new InvalidQuery('A query with this name or customer key already exists.', 'taken');
  }
  const now = cloud.clock.now();
  const query = {
    ...spec,
    customerKey,
    categoryId: spec.categoryId === '' ? FOLDERS.queryactivity.id : spec.categoryId,
    objectId: randomUUID(),
    id: cloud.nextQueryId(),
    createdAt: now,
    modifiedAt: now,
  };
  unit.queries.set(query.objectId, query);
  return query;
}

export function updateTypeOf(text: string): UpdateType {
  const found = UPDATE_TYPES.find((each) => each.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw new InvalidQuery(`The update type ${text} is not valid.`);
  return found;
}
