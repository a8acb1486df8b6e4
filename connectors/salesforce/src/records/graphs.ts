import { type Sleep, pauseMs } from '@millrace/http';
import { type Caller, textBody } from '../calls/call.ts';
import { isHalted, refusal } from '../calls/classify.ts';
import { absolute, responsesOf } from './composite.ts';
import { SalesforceError, peer } from '../errors.ts';
import { readJson } from '../calls/read.ts';
import type { GraphAnswer, Salesforce, Subrequest, WriteOptions } from '../types.ts';

/**
 * Many atomic pieces of work in few calls. Graphs are put together in their order until a call is full; each keeps its own
 * fate. What is undone for sure is sent again: graphs that Salesforce did not try because too many before them failed,
 * graphs that met a row lock, and, in halves, a call that Salesforce refused as a whole because of one bad graph among
 * good ones.
 */
export interface GraphParts {
  readonly apiVersion: string;
  readonly random: () => number;
  readonly sleep: Sleep;
}

interface Graph {
  /** Its place among the caller's graphs. */
  readonly index: number;
  readonly nodes: number;
  /** Its nodes by method and object: Salesforce counts those that differ. */
  readonly sorts: readonly string[];
  /** As JSON: written once, to be measured and sent. */
  readonly json: string;
  readonly bytes: number;
}

interface Group {
  readonly graphs: readonly Graph[];
  /** How often these have met a lock. */
  readonly locks: number;
  /** Halvings left: one bad graph among 75 is found with 7. */
  readonly halvings: number;
}

const MOST_GRAPHS = 75;
const MOST_NODES = 500;
const MOST_SORTS = 15;
/** Salesforce takes about 50 MB; base64 and a margin. */
const MOST_BYTES = 30 * 1024 * 1024;
const MOST_HALVINGS = 7;

export function createGraphs(caller: Caller, parts: GraphParts): Salesforce['graphs'] {
  return async (graphs, options = {}) => {
    const answers: GraphAnswer[] = [];
    const good: Graph[] = [];
    for (const [index, nodes] of graphs.entries()) {
      if (nodes.length === 0) answers[index] = { ok: true, responses: [] };
      else if (nodes.length > MOST_NODES) answers[index] = tooManyNodes(nodes.length);
      else good.push(graphOf(nodes, index, parts.apiVersion));
    }
    await Promise.all(
      grouped(good).map((group) =>
        sendGroup({ graphs: group, locks: 0, halvings: MOST_HALVINGS }, answers, options),
      ),
    );
    return answers;
  };

  /** Puts an answer for each of its graphs into `answers`. */
  async function sendGroup(
    group: Group,
    answers: GraphAnswer[],
    options: WriteOptions,
  ): Promise<void> {
    try {
      const found = await callFor(group.graphs, options);
      for (const graph of group.graphs) {
        answers[graph.index] = found.get(String(graph.index)) ?? unanswered();
      }
    } catch (error) {
      if (!(error instanceof SalesforceError)) throw error;
      if (mayHalve(group, error)) return sendHalves(group, answers, options);
      for (const { index } of group.graphs) {
        answers[index] = { ok: false, responses: [], failed: error };
      }
    }
    await sendUntried(group, answers, options);
    await sendLocked(group, answers, options);
  }

  async function sendHalves(
    group: Group,
    answers: GraphAnswer[],
    options: WriteOptions,
  ): Promise<void> {
    const middle = Math.ceil(group.graphs.length / 2);
    const halvings = group.halvings - 1;
    const halves = [group.graphs.slice(0, middle), group.graphs.slice(middle)];
    await Promise.all(
      halves.map((half) => sendGroup({ ...group, graphs: half, halvings }, answers, options)),
    );
  }

  /**
   * Salesforce halts a call at its 15th failed graph ("Composite Graph Limits"): each call then answers 15 at least, so
   * that 75 that all fail take 5. One that is halted though none failed was tried: its own references are wrong.
   */
  async function sendUntried(
    group: Group,
    answers: GraphAnswer[],
    options: WriteOptions,
  ): Promise<void> {
    const untried = group.graphs.filter(({ index }) => isUntried(answers[index]));
    if (untried.length === 0 || untried.length === group.graphs.length) return;
    await sendGroup({ ...group, graphs: untried }, answers, options);
  }

  async function sendLocked(
    group: Group,
    answers: GraphAnswer[],
    options: WriteOptions,
  ): Promise<void> {
    const locked = group.graphs.filter(({ index }) => {
      const answer = answers[index];
      return answer?.ok === false && answer.failed.kind === 'lock' && answer.responses.length > 0;
    });
    const pause = pauseMs(group.locks, parts.random);
    if (locked.length === 0 || pause === null) return;
    try {
      await parts.sleep(pause, options.signal);
    } catch {
      return; // Called off: the lock stays their answer.
    }
    await sendGroup({ ...group, graphs: locked, locks: group.locks + 1 }, answers, options);
  }

  function callFor(
    graphs: readonly Graph[],
    options: WriteOptions,
  ): Promise<Map<string, GraphAnswer>> {
    const body = textBody(`{"graphs":[${graphs.map(({ json }) => json).join(',')}]}`);
    return caller.call(
      { ...options, method: 'POST', path: 'composite/graph', body },
      async (answer, { afterLost }) => answersOf(await readJson(answer), afterLost),
    );
  }
}

/** One call's worth each, in order. A graph that is too large for any call goes alone, and Salesforce has the word. */
export function grouped<G extends Pick<Graph, 'nodes' | 'bytes' | 'sorts'>>(
  graphs: readonly G[],
): G[][] {
  const groups: G[][] = [];
  let nodes = 0;
  let bytes = 0;
  let sorts = new Set<string>();
  for (const graph of graphs) {
    const last = groups.at(-1);
    const fits =
      last !== undefined &&
      last.length < MOST_GRAPHS &&
      nodes + graph.nodes <= MOST_NODES &&
      bytes + graph.bytes <= MOST_BYTES &&
      new Set([...sorts, ...graph.sorts]).size <= MOST_SORTS;
    if (fits) last.push(graph);
    else {
      groups.push([graph]);
      nodes = 0;
      bytes = 0;
      sorts = new Set();
    }
    for (const sort of graph.sorts) sorts.add(sort);
    nodes += graph.nodes;
    bytes += graph.bytes;
  }
  return groups;
}

function graphOf(nodes: readonly Subrequest[], index: number, apiVersion: string): Graph {
  const json = JSON.stringify({
    graphId: String(index),
    compositeRequest: nodes.map((node) => absolute(node, apiVersion)),
  });
  const sorts = [...new Set(nodes.map(sortOf))];
  return { index, nodes: nodes.length, sorts, json, bytes: Buffer.byteLength(json) + 1 };
}

function sortOf({ method, url }: Subrequest): string {
  return `${method} ${/sobjects\/\w+/.exec(url)?.[0] ?? url}`;
}

/** A refusal of the whole call, in which nothing was done, for the sake of its content. */
function mayHalve(group: Group, error: SalesforceError): boolean {
  const isContent = error.status === 400 || error.status === 413;
  return isContent && error.outcome === 'refused' && group.graphs.length > 1 && group.halvings > 0;
}

function isUntried(answer: GraphAnswer | undefined): boolean {
  if (answer?.ok !== false) return false;
  const { responses } = answer;
  return responses.length > 0 && responses.every(({ body }) => isHalted(body));
}

function answersOf(body: unknown, afterLost: boolean): Map<string, GraphAnswer> {
  const { graphs } = (body ?? {}) as { graphs?: unknown };
  const found = new Map<string, GraphAnswer>();
  for (const entry of Array.isArray(graphs) ? graphs : []) {
    const { graphId, isSuccessful, graphResponse } = (entry ?? {}) as Record<string, unknown>;
    const { compositeResponse } = (graphResponse ?? {}) as Record<string, unknown>;
    const responses = responsesOf(compositeResponse);
    if (isSuccessful === true) found.set(String(graphId), { ok: true, responses });
    else {
      const bad = responses.filter(({ httpStatusCode }) => httpStatusCode >= 300);
      const cause = bad.find((response) => !isHalted(response.body)) ?? bad[0];
      const failed =
        cause === undefined
          ? unanswered().failed
          : refusal(cause.httpStatusCode, cause.body, { referenceId: cause.referenceId });
      found.set(String(graphId), {
        ok: false,
        responses,
        failed: afterLost ? failed.with({ outcome: 'unknown' }) : failed,
      });
    }
  }
  return found;
}

function unanswered(): GraphAnswer & { ok: false } {
  const failed = peer.invalidAnswer('Salesforce did not answer for a graph.');
  return { ok: false, responses: [], failed };
}

function tooManyNodes(nodes: number): GraphAnswer {
  const failed = peer.invalid(
    'too_many_subrequests',
    `A graph has ${nodes} parts; Salesforce takes ${MOST_NODES} in a call.`,
  );
  return { ok: false, responses: [], failed };
}
