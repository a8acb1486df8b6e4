import { type Complain, type Parameter, nearest } from '@millrace/workload-kit';
import { OF_EVERY_STEP, OF_RUN } from '../runs/values.ts';
import { type Plan, type PlanStep, stepsBefore } from './plan.ts';
import { STEP_MEMBERS, fileNameOf, namesIn, textsOf } from './references.ts';
import { membersOf } from './values.ts';

/** Holds every name in a plan against what there is: parameters, the run, and steps that are over by then. */
export function checkNames(plan: Plan, parameters: readonly Parameter[], complain: Complain): void {
  const known = new Set(['run', ...parameters.map(({ name }) => name)]);
  for (const step of plan.steps) {
    if (known.has(step.name))
      complain(
        ['steps', step.name],
        `${step.name} already stands for ${step.name === 'run' ? 'the run itself' : 'a parameter'}. Rename the step.`,
        { atKey: true },
      );
    checkStep(plan, step, parameters, complain);
  }
}

function checkStep(
  plan: Plan,
  step: PlanStep,
  parameters: readonly Parameter[],
  complain: Complain,
): void {
  const before = stepsBefore(plan, step.name);
  const wrong = (name: string): string | null => wrongName(plan, name, before, parameters);
  for (const { of } of step.when) {
    const why = wrong(of);
    if (why !== null) complain(['steps', step.name, 'when', of], why, { atKey: true });
  }
  const at = ['steps', step.name, step.type];
  for (const { path, text } of textsOf(step.input, [])) {
    const why = namesIn(text)
      .map(wrong)
      .find((each) => each !== null);
    if (why != null) complain([...at, ...path], why);
  }
  for (const [member, value] of Object.entries(step.input)) {
    if (member in STEP_MEMBERS)
      for (const [place, name] of [value].flat().entries()) {
        if (typeof name === 'string' && before.has(name)) continue;
        const path = Array.isArray(value) ? [...at, member, place] : [...at, member];
        complain(path, noStep(String(name), plan, before));
      }
    const file = fileNameOf(value);
    if (file !== null && !/^[\w-][\w .-]{0,99}$/.test(file))
      complain([...at, member, 'file'], 'name a file that lies beside this one, without a folder.');
  }
}

function wrongName(
  plan: Plan,
  name: string,
  before: ReadonlySet<string>,
  parameters: readonly Parameter[],
): string | null {
  const [first = '', member = null, ...more] = name.split('.');
  const all = [...parameters.map((each) => each.name), ...before, 'run'];
  if (more.length > 0) return `${name} has more than one point. Write such as customers.rows.`;
  const parameter = parameters.find((each) => each.name === first);
  if (parameter !== undefined) return wrongMember(name, member, membersOf(parameter), true);
  if (first === 'run') return wrongMember(name, member, OF_RUN, false);
  if (!before.has(first)) {
    if (plan.steps.some((step) => step.name === first)) return noStep(first, plan, before);
    const meant = nearest(first, all);
    return `there is no ${first} here.${meant === null ? '' : ` Did you mean ${meant}?`}`;
  }
  // What else a step has, its workload says once it is there.
  if (member === null || member === '')
    return `${first} is a step. Say what of it, such as ${first}.${OF_EVERY_STEP[0]}.`;
  return null;
}

function wrongMember(
  name: string,
  member: string | null,
  members: readonly string[],
  alone: boolean,
): string | null {
  if (member === null) return alone ? null : `say what of it: ${members.join(', ')}.`;
  if (members.includes(member)) return null;
  return members.length === 0
    ? `${name} has no parts. Leave the point and what follows out.`
    : `there is no ${name}. There is ${members.join(', ')}.`;
}

function noStep(name: string, plan: Plan, before: ReadonlySet<string>): string {
  if (plan.steps.some((step) => step.name === name))
    return `the step ${name} need not be over when this one begins. Write after: [${name}], or name another.`;
  const meant = nearest(name, [...before]);
  return `there is no earlier step ${name}.${meant === null ? '' : ` Did you mean ${meant}?`}`;
}
