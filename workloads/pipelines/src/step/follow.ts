import type { FinishedParent, Follower, RuleBook } from '@millrace/engine';
import { type Graph, STEP, type StepData, stepDataSchema, stepResultSchema } from './data.ts';

/** How long a step that is over waits at a join for the others: a run may rest for weeks before somebody resumes it. */
const WAIT_AT_JOIN = '90d';

/**
 * What follows from the end of a step: those that wait for it alone, and its arrival where several are waited for. Why so:
 * docs/decisions/0029-pipelines.md.
 */
export const followSteps: RuleBook = {
  name: 'pipeline',
  parents: [STEP],
  children: [STEP],
  follow(parent) {
    const { data } = stepDataSchema.safeParse(parent.data);
    // A job that was erased, or is of a newer version of ours, has nothing to say.
    if (data === undefined || !goesOn(parent, data)) return [];
    return Object.entries(data.graph)
      .filter(([, { after }]) => after.includes(data.step))
      .map(([name, { after }]) => followerOf(data, name, after));
  },
};

function goesOn({ state, result }: FinishedParent, { graph, step }: StepData): boolean {
  if (state === 'FAILED') return graph[step]?.onFailure === 'continue';
  if (state !== 'SUCCEEDED') return false;
  const { data } = stepResultSchema.safeParse(result);
  return data !== undefined && data.end !== null;
}

function followerOf(data: StepData, name: string, after: readonly string[]): Follower {
  const { run, revision, step } = data;
  const child: StepData = {
    run,
    revision,
    step: name,
    graph: reachable(data.graph, name),
    looks: 0,
    of: 0,
  };
  const follower = { child: STEP, data: child };
  if (after.length === 1) return follower;
  const key = `${run}/${revision}/${name}`;
  return {
    ...follower,
    gate: { rule: 'pipeline', key, slot: step, slots: after, within: WAIT_AT_JOIN },
  };
}

function reachable(graph: Graph, start: string): Graph {
  const kept: Graph = {};
  const add = (name: string): void => {
    const node = graph[name];
    if (node === undefined || name in kept) return;
    kept[name] = node;
    for (const [other, { after }] of Object.entries(graph)) if (after.includes(name)) add(other);
  };
  add(start);
  return kept;
}
