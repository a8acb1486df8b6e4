import { ApiError } from '../errors.ts';
import { type Bundle, runPart, runTogether } from './composite.ts';
import { type Reply, isObject, objectBody } from './request.ts';
import { type Subrequest, type Subresponse, halted, readSubrequests } from './subrequests.ts';

/** The figures are those of the REST API guide, "Composite Graph Limits". */
const MOST_GRAPHS = 75;
const MOST_NODES = 500;
const MOST_DEPTH = 15;
const MOST_DIFFERENT_NODES = 15;
/** One more than these, and the rest of the call is not tried. */
const MOST_FAILURES = 14;

interface Graph {
  readonly graphId: string;
  readonly parts: readonly Subrequest[];
}

/** `POST …/composite/graph`: each graph is a transaction, and knows nothing of the others. */
export async function graph(bundle: Bundle): Promise<Reply> {
  const graphs = readGraphs(objectBody(bundle.request)['graphs']);
  checkGraphs(graphs);
  const answers: unknown[] = [];
  let failures = 0;
  for (const { graphId, parts } of graphs) {
    const isTried = failures <= MOST_FAILURES;
    const compositeResponse = isTried ? await run(bundle, parts) : parts.map(halted);
    const isSuccessful = compositeResponse.every(({ httpStatusCode }) => httpStatusCode < 300);
    if (!isSuccessful) failures += 1;
    answers.push({ graphId, graphResponse: { compositeResponse }, isSuccessful });
  }
  return { status: 200, body: { graphs: answers } };
}

function run(bundle: Bundle, parts: readonly Subrequest[]): Promise<Subresponse[]> {
  const results = new Map<string, unknown>();
  return runTogether(bundle, parts, (part, work) => runPart(bundle, part, work, results));
}

function readGraphs(graphs: unknown): Graph[] {
  if (!Array.isArray(graphs) || graphs.length === 0 || !graphs.every(isObject)) {
    throw new ApiError('JSON_PARSER_ERROR', 'The request body must have an array named graphs.');
  }
  return graphs.map(({ graphId, compositeRequest }, index) => ({
    graphId: typeof graphId === 'string' ? graphId : String(index + 1),
    parts: readSubrequests(compositeRequest),
  }));
}

function checkGraphs(graphs: readonly Graph[]): void {
  const nodes = graphs.flatMap(({ parts }) => parts);
  const stranger = nodes.find(({ url }) => !/^\/services\/data\/v\d\d\.\d\/sobjects\//.test(url));
  if (stranger !== undefined) {
    throw new ApiError('INVALID_INPUT', `A graph takes sobjects only, not ${stranger.url}`);
  }
  if (new Set(graphs.map(({ graphId }) => graphId)).size < graphs.length) {
    throw new ApiError('INVALID_INPUT', 'Two graphs have the same graphId.');
  }
  atMost(MOST_GRAPHS, graphs.length, 'graphs');
  atMost(MOST_NODES, nodes.length, 'nodes');
  atMost(MOST_DIFFERENT_NODES, new Set(nodes.map(sortOf)).size, 'different nodes');
  for (const { parts } of graphs) atMost(MOST_DEPTH, depthOf(parts), 'levels in a graph');
}

function atMost(most: number, found: number, what: string): void {
  if (found <= most) return;
  throw new ApiError('LIMIT_EXCEEDED', `A request has at most ${most} ${what}: here are ${found}.`);
}

/** Nodes are different by API version, HTTP method or object. */
function sortOf({ method, url }: Subrequest): string {
  const [version, , object] = url.split('?')[0]?.split('/').slice(3) ?? [];
  return `${method} ${version} ${object?.toLowerCase()}`;
}

/** How many nodes stand in the longest row of references. */
function depthOf(parts: readonly Subrequest[]): number {
  const depths = new Map<string, number>();
  for (const { url, body, referenceId } of parts) {
    const named = `${url} ${JSON.stringify(body) ?? ''}`.matchAll(/@\{([A-Za-z0-9_]+)/g);
    const before = [...named].map(([, name = '']) => depths.get(name) ?? 0);
    depths.set(referenceId, 1 + Math.max(0, ...before));
  }
  return Math.max(...depths.values());
}
