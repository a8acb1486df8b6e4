import { notFound } from '../errors.ts';
import { collections } from './collections.ts';
import { type Cursors, createCursors } from './cursors.ts';
import { describeGlobal, describeObject, objectInfo } from './describe.ts';
import { limits } from './limits.ts';
import { namedCredential } from './named-credentials.ts';
import { queryHandler } from './query.ts';
import { blob, byExternalId, createRecord, oneRecord } from './records.ts';
import { type Leaf, type LeafHandler, type Reply, methodNotAllowed } from './request.ts';
import { resources } from './resources.ts';
import { tree } from './tree.ts';

/** Everything below a version that is one transaction, by the first parts of its path. */
export function createLeaves(cursors: Cursors = createCursors()): LeafHandler {
  const query = queryHandler(cursors);
  return async (leaf) => {
    const [first, second] = leaf.request.segments;
    switch (first) {
      case undefined:
        return resources(leaf);
      case 'query':
      case 'queryAll':
        return query(leaf);
      case 'sobjects':
        return sobjects(leaf);
      case 'limits':
        return limits(leaf);
      case 'named-credentials':
        return namedCredential(leaf);
      case 'composite':
        if (second === 'sobjects') return collections(leaf);
        if (second === 'tree') return tree(leaf);
        throw notFound();
      default:
        throw notFound();
    }
  };
}

async function sobjects(leaf: Leaf): Promise<Reply> {
  const { org, request } = leaf;
  const [, type, second, third, fourth] = request.segments;
  if (type === undefined) return describeGlobal(leaf);
  const object = org.schema.require(type);
  if (leaf.caller.strikes.strikes('hidden', { object: object.name }) !== null) throw notFound();
  if (second === undefined) {
    if (request.method === 'GET') return objectInfo(leaf, object);
    if (request.method === 'POST') return createRecord(leaf, object);
    throw methodNotAllowed(request.method, ['GET', 'HEAD', 'POST']);
  }
  if (second === 'describe' && third === undefined) return describeObject(leaf, object);
  if (third === undefined) return oneRecord(leaf, object, second);
  if (fourth !== undefined) throw notFound();
  const isBlob = object.fields.get(third.toLowerCase())?.type === 'base64';
  return isBlob ? blob(leaf) : byExternalId(leaf, object, second, third);
}
