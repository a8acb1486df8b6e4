import { notFound } from '../errors.ts';
import { collections } from './collections.ts';
import { createCursors, type Cursors } from './cursors.ts';
import { describeGlobal, describeObject, objectInfo } from './describe.ts';
import { queryHandler } from './query.ts';
import { blob, byExternalId, createRecord, oneRecord } from './records.ts';
import { type Leaf, type LeafHandler, methodNotAllowed, type Reply } from './request.ts';
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

const MEGABYTE = 1_048_576;

/** `GET …/limits`. */
const limits: LeafHandler = async ({ org }) => {
  const { used, max } = org.counter.calls;
  const { fileBytes } = org.database;
  const fileMegabytes = Math.floor(org.settings.storageBytes / MEGABYTE);
  const left = Math.max(0, Math.floor((org.settings.storageBytes - fileBytes) / MEGABYTE));
  return {
    status: 200,
    body: {
      DailyApiRequests: { Max: max, Remaining: Math.max(0, max - used) },
      DataStorageMB: { Max: 10_240, Remaining: 10_240 },
      FileStorageMB: { Max: fileMegabytes, Remaining: left },
      HourlyPublishedPlatformEvents: { Max: 50_000, Remaining: 50_000 },
    },
  };
};

/** `GET …/named-credentials/named-credential-setup/{developerName}` (Connect REST API, "Named Credential", from 58.0 on). */
const namedCredential: LeafHandler = async ({ org, request }) => {
  const [, setup, developerName = '', more] = request.segments;
  const calloutUrl = org.settings.namedCredentials[developerName];
  if (setup !== 'named-credential-setup' || more !== undefined || calloutUrl === undefined)
    throw notFound();
  if (request.method !== 'GET') throw methodNotAllowed(request.method, ['GET']);
  return { status: 200, body: { developerName, calloutUrl, type: 'SecuredEndpoint' } };
};
