import type { Row } from '../data/database.ts';
import type { View } from '../data/transaction.ts';
import { ApiError } from '../errors.ts';
import { parseAndFind, rowsOf, runQuery } from '../soql/run.ts';
import { type Cursors, batchSizeOf } from './cursors.ts';
import { type Leaf, type LeafHandler, methodNotAllowed } from './request.ts';

/** `query?q=`, `queryAll?q=` and `query/{locator}`. */
export function queryHandler(cursors: Cursors): LeafHandler {
  return async (leaf) => {
    const { request } = leaf;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw methodNotAllowed(request.method, ['HEAD', 'GET']);
    }
    const [resource, locator] = request.segments;
    if (locator !== undefined) {
      return { status: 200, body: cursors.next(request.version, locator) };
    }
    const source = request.query.get('q');
    if (source === null)
      throw new ApiError('MALFORMED_QUERY', 'A query string has to be specified');
    const { totalSize, records } = await answer(leaf, source, resource === 'queryAll');
    const batchSize = batchSizeOf(request.headers['sforce-query-options']);
    return { status: 200, body: cursors.first(request.version, totalSize, records, batchSize) };
  };
}

/** FOR UPDATE waits for the rows, then reads them again. */
async function answer(
  leaf: Leaf,
  source: string,
  withDeleted: boolean,
): Promise<ReturnType<typeof runQuery>> {
  const { org, work, request } = leaf;
  const scope = org.scope(withAccess(leaf), source, request.version, withDeleted);
  const { query, object } = parseAndFind(scope);
  if (query.forUpdate) {
    for (const { Id } of rowsOf(scope, object, query)) await work.tx.lock(Id);
  }
  return runQuery(scope, query);
}

/** The rights of a user on a record are computed when they are asked for: here everything, unless a fault hides the record. */
function withAccess({ org, work: { tx }, caller }: Leaf): View {
  function* accessRows(): Iterable<Row> {
    for (const object of org.schema.objects) {
      for (const { Id } of tx.rows(object)) {
        const isSeen = caller.strikes.strikes('hidden', { record: Id }) === null;
        yield {
          Id,
          RecordId: Id,
          UserId: caller.userId,
          HasReadAccess: isSeen,
          HasEditAccess: isSeen,
        };
      }
    }
  }
  return {
    get: tx.get,
    bin: tx.bin,
    rows: (object) => (object.name === 'UserRecordAccess' ? accessRows() : tx.rows(object)),
  };
}
