import { readRecord } from '../data/input.ts';
import { ApiError, asApiError, saveError } from '../errors.ts';
import type { SObject } from '../schema/sobject.ts';
import { type Leaf, type LeafHandler, isObject, methodNotAllowed, objectBody } from './request.ts';

const MOST = 200;

interface Node {
  readonly object: SObject;
  readonly referenceId: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The lookup to the parent, when there is one. */
  readonly lookup: string | null;
  readonly children: readonly Node[];
}

/** `POST …/composite/tree/X`: records with their children, all or nothing. */
export const tree: LeafHandler = async (leaf) => {
  const { org, work, request } = leaf;
  if (request.method !== 'POST') throw methodNotAllowed(request.method, ['POST']);
  const object = org.schema.require(request.segments[2] ?? '');
  const { records } = objectBody(request);
  const nodes = readNodes(leaf, object, records, null);
  if (countOf(nodes) > MOST) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `A tree has at most ${MOST} records: here are ${countOf(nodes)}.`,
    );
  }
  const start = work.tx.mark();
  const results: { referenceId: string; id: string }[] = [];
  async function insert(node: Node, parentId: string | null): Promise<void> {
    try {
      const link = node.lookup === null ? {} : { [node.lookup]: parentId };
      const values = { ...readRecord(node.object, node.fields, 'insert'), ...link };
      const id = await org.dml.insert(work, node.object, values);
      results.push({ referenceId: node.referenceId, id });
      for (const each of node.children) await insert(each, id);
    } catch (thrown) {
      if (thrown instanceof TreeError) throw thrown;
      throw new TreeError(node.referenceId, asApiError(thrown));
    }
  }
  try {
    for (const node of nodes) await insert(node, null);
  } catch (thrown) {
    if (!(thrown instanceof TreeError)) throw thrown;
    work.tx.rollbackTo(start);
    const failed = { referenceId: thrown.referenceId, errors: [saveError(thrown.error)] };
    return { status: 400, body: { hasErrors: true, results: [failed] } };
  }
  return { status: 201, body: { hasErrors: false, results } };
};

class TreeError extends Error {
  readonly referenceId: string;
  readonly error: ApiError;

  constructor(referenceId: string, error: ApiError) {
    super(error.message);
    this.referenceId = referenceId;
    this.error = error;
  }
}

function countOf(nodes: readonly Node[]): number {
  return nodes.reduce((sum, { children }) => sum + 1 + countOf(children), 0);
}

function readNodes(leaf: Leaf, object: SObject, records: unknown, lookup: string | null): Node[] {
  if (!Array.isArray(records) || !records.every(isObject)) {
    throw new ApiError('JSON_PARSER_ERROR', 'The request body must have an array named records.');
  }
  return records.map((record) => readNode(leaf, object, record, lookup));
}

function readNode(
  leaf: Leaf,
  object: SObject,
  record: Readonly<Record<string, unknown>>,
  lookup: string | null,
): Node {
  const attributes = isObject(record['attributes']) ? record['attributes'] : {};
  const referenceId = attributes['referenceId'];
  if (typeof referenceId !== 'string') {
    throw new ApiError(
      'INVALID_INPUT',
      'Each record needs attributes with a type and a referenceId.',
    );
  }
  const relationships = leaf.org.schema.children(object);
  const fields: Record<string, unknown> = {};
  const children: Node[] = [];
  for (const [name, value] of Object.entries(record)) {
    const found = relationships.find((each) => each.name?.toLowerCase() === name.toLowerCase());
    if (found === undefined || !isObject(value)) fields[name] = value;
    else children.push(...readNodes(leaf, found.child, value['records'], found.field.name));
  }
  return { object, referenceId, fields, lookup, children };
}
