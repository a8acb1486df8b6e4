import { type QueryDefinition, queryByKey } from '../data/account.ts';
import { InvalidQuery, makeQuery, updateTypeOf } from '../queries.ts';
import { type Change, SoapRefusal, type View } from './view.ts';
import { type Node, element, textAt } from './xml.ts';

/** "0-99", SOAP error codes: a name that exists already; an object to change that does not exist. */
const TAKEN = 1;
const NOT_THERE = 3;

export const createQuery: Change = (view, object) => {
  const { cloud, unit, strikes, operation } = view;
  const about = { operation, mid: unit.mid };
  if (strikes.strikes('create-exception', about) !== null) {
    throw new SoapRefusal('An exception occurred while processing the request.', 2);
  }
  if ((textAt(object, 'TargetType') ?? 'DE') !== 'DE') {
    throw new SoapRefusal('TargetType must be DE.');
  }
  const query = refusing(() =>
    makeQuery(cloud, unit, {
      name: textAt(object, 'Name') ?? '',
      customerKey: textAt(object, 'CustomerKey') ?? '',
      description: textAt(object, 'Description') ?? '',
      queryText: textAt(object, 'QueryText') ?? '',
      targetKey: textAt(object, 'DataExtensionTarget', 'CustomerKey') ?? '',
      updateType: updateTypeOf(textAt(object, 'TargetUpdateType') ?? 'Overwrite'),
      categoryId: textAt(object, 'CategoryID') ?? '',
    }),
  );
  const isZero = strikes.strikes('new-id-zero', about) !== null;
  return {
    message: 'QueryDefinition created',
    newId: isZero ? '0' : String(query.id),
    objectId: query.objectId,
    object: [element('ObjectID', query.objectId), element('CustomerKey', query.customerKey)],
  };
};

export const updateQuery: Change = (view, object) => {
  const found = findQuery(view, object);
  const queryText = textAt(object, 'QueryText') ?? found.queryText;
  const modifiedAt = view.cloud.clock.now();
  view.unit.queries.set(found.objectId, { ...found, queryText, modifiedAt });
  return { message: 'QueryDefinition updated', object: [element('ObjectID', found.objectId)] };
};

export const deleteQuery: Change = (view, object) => {
  const found = findQuery(view, object);
  view.unit.queries.delete(found.objectId);
  return { message: 'QueryDefinition deleted', object: [element('ObjectID', found.objectId)] };
};

function findQuery({ unit }: View, object: Node): QueryDefinition {
  const objectId = textAt(object, 'ObjectID') ?? '';
  const found = unit.queries.get(objectId) ?? queryByKey(unit, textAt(object, 'CustomerKey') ?? '');
  if (found === null) throw new SoapRefusal('QueryDefinition does not exist.', NOT_THERE);
  return found;
}

/** Start, by ObjectID alone: by CustomerKey it fails ("Perform a Query Activity"). */
export const startQuery: Change = (view, object) => {
  const { cloud, unit, strikes, operation } = view;
  const fault = strikes.strikes('perform-error', { operation, mid: unit.mid });
  if (fault !== null) throw new SoapRefusal(fault.message ?? 'Unable to start the query.', 2);
  const query = unit.queries.get(textAt(object, 'ObjectID') ?? '');
  if (query === undefined) throw new SoapRefusal('Invalid ObjectID for QueryDefinition.');
  const { id, interactionId } = cloud.tasks.start(unit, query);
  return {
    message: 'QueryDefinition perform called successfully',
    object: [element('ObjectID', query.objectId)],
    task: [
      element('StatusCode', 'OK'),
      element('StatusMessage', 'OK'),
      element('ID', id),
      element('InteractionObjectID', interactionId),
    ],
  };
};

function refusing<T>(make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof InvalidQuery)
      throw new SoapRefusal(thrown.message, thrown.fault === 'taken' ? TAKEN : null);
    throw thrown;
  }
}
