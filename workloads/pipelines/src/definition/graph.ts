import type { JobState } from '@millrace/engine';
import type { OnFailure, Plan } from './plan.ts';

/**
 * What a run is, decided by its steps alone. A step goes
 *
 *     waiting ──► running ──► done | failed | canceled
 *        └──────► skipped
 *
 * and those behind it go on where it is done, was skipped, or has failed and is to be passed over.
 */
export const STEP_STATES = ['waiting', 'running', 'done', 'skipped', 'failed', 'canceled'] as const;
export type StepState = (typeof STEP_STATES)[number];

export interface StepNode {
  readonly name: string;
  readonly after: readonly string[];
  readonly onFailure: OnFailure;
}

export interface StepEnd {
  readonly state: StepState;
}

export type States = ReadonlyMap<string, StepEnd>;

export function passes(node: Pick<StepNode, 'onFailure'>, state: StepState): boolean {
  if (state === 'failed') return node.onFailure === 'continue';
  return state === 'done' || state === 'skipped';
}

/** Steps that have to have a job: those that run, and those that nothing keeps from running. */
export function liveSteps(plan: Pick<Plan, 'steps'>, states: States): StepNode[] {
  return plan.steps.filter((step) => {
    const state = states.get(step.name)?.state ?? 'waiting';
    return state === 'running' || (state === 'waiting' && isFree(plan, step, states));
  });
}

/** Nothing keeps it from running. */
export function isFree(plan: Pick<Plan, 'steps'>, step: StepNode, states: States): boolean {
  return step.after.every((name) => {
    const node = plan.steps.find((each) => each.name === name);
    return node !== undefined && passes(node, states.get(name)?.state ?? 'waiting');
  });
}

export function runStateOf(plan: Pick<Plan, 'steps'>, states: States): JobState {
  const now = plan.steps.map((step) => ({
    step,
    state: states.get(step.name)?.state ?? 'waiting',
  }));
  if (liveSteps(plan, states).length > 0)
    return now.every(({ state }) => state === 'waiting') ? 'QUEUED' : 'PROCESSING';
  if (now.every(({ step, state }) => passes(step, state))) return 'SUCCEEDED';
  return now.some(({ state }) => state === 'canceled') ? 'CANCELED' : 'FAILED';
}
