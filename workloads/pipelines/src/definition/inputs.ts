import { type Complaint, checkSchema } from '@millrace/workload-kit';
import { type Plan, type PlanStep, stepsBefore } from './plan.ts';
import { namesIn, textsOf } from './references.ts';
import { OF_EVERY_STEP } from '../runs/values.ts';
import { type Works, isHandOver } from '../step/work.ts';

/**
 * Holds what a plan says to its steps against what they take, as far as that can be decided before values are known: a member that
 * has a name in it is judged when the step begins. Steps of workloads that are not there are not judged at all.
 */
export function checkInputs(plan: Plan, works: Works): Complaint[] {
  return plan.steps.flatMap((step) => [
    ...checkInput(step, works),
    ...checkOutputs(plan, step, works),
    ...checkRows(plan, step, works),
  ]);
}

function checkInput(step: PlanStep, works: Works): Complaint[] {
  const work = works(step.type);
  if (work === undefined) return [];
  const at = ['steps', step.name, step.type];
  const spliced = (work.literal ?? []).flatMap((member): Complaint[] => {
    const text = step.input[member];
    if (typeof text !== 'string' || namesIn(text).length === 0) return [];
    const [name = 'x'] = namesIn(text);
    const place = name.replaceAll(/\W/g, '_');
    return [
      {
        path: [...at, member],
        message: `values never become part of ${member}. Write :${place} here, and parameters: { ${place}: … } beside it with \${${name}}.`,
      },
    ];
  });
  const checked = checkSchema(work.input, sampleOf(step.input));
  if ('value' in checked) return spliced;
  return [...spliced, ...stillWrong(checked.complaints, step, at)];
}

/** Steps and files as they will stand there; what they are, their own workloads say. */
function sampleOf(input: PlanStep['input']): Record<string, unknown> {
  const thing = { step: 'x', id: 'x' };
  const file = { name: 'x', sha256: 'x', read: () => null };
  return Object.fromEntries(
    Object.entries(input).map(([member, value]) => {
      if (member === 'rows') return [member, thing];
      if (member === 'attach') return [member, [value].flat().map(() => thing)];
      const isFile = typeof value === 'object' && value !== null && 'file' in value;
      return [member, isFile ? file : value];
    }),
  );
}

/** Without what is yet to come: a value with a name in it, or what such a value is a part of. */
function stillWrong(
  complaints: readonly Complaint[],
  step: PlanStep,
  at: readonly (string | number)[],
): Complaint[] {
  const named = [...textsOf(step.input, [])]
    .filter(({ text }) => namesIn(text).length > 0)
    .map(({ path }) => path.join('.'));
  return complaints.flatMap((complaint): Complaint[] => {
    const text = complaint.path.join('.');
    const isOpen =
      complaint.atKey !== true &&
      text !== '' &&
      named.some(
        (each) => each === text || each.startsWith(`${text}.`) || text.startsWith(`${each}.`),
      );
    return isOpen ? [] : [{ ...complaint, path: [...at, ...complaint.path] }];
  });
}

/** Names of outputs that the step before does not have. */
function checkOutputs(plan: Plan, step: PlanStep, works: Works): Complaint[] {
  const before = stepsBefore(plan, step.name);
  const wrong = (name: string): string | null => {
    const [first = '', member = ''] = name.split('.');
    const source = plan.steps.find((each) => each.name === first);
    if (source === undefined || !before.has(first)) return null;
    const outputs = works(source.type)?.outputs;
    const known = [...OF_EVERY_STEP, ...(outputs ?? [])];
    if (outputs === undefined || known.includes(member)) return null;
    return `${source.type} gives no ${member}. It gives ${known.join(', ')}.`;
  };
  const inTexts = [...textsOf(step.input, works(step.type)?.literal ?? [])].flatMap(
    ({ path, text }): Complaint[] =>
      namesIn(text)
        .map(wrong)
        .filter((each) => each !== null)
        .map((message) => ({ path: ['steps', step.name, step.type, ...path], message })),
  );
  const inWhen = step.when.flatMap(({ of }): Complaint[] => {
    const message = wrong(of);
    const path = ['steps', step.name, 'when', of];
    return message === null ? [] : [{ path, message, atKey: true }];
  });
  return [...inTexts, ...inWhen];
}

/** A step whose rows or file are asked for has to have some. */
function checkRows(plan: Plan, step: PlanStep, works: Works): Complaint[] {
  const asked = [
    ...('rows' in step.input ? [{ member: 'rows', name: step.input['rows'] }] : []),
    ...[step.input['attach'] ?? []].flat().map((name) => ({ member: 'attach', name })),
  ];
  return asked.flatMap(({ member, name }): Complaint[] => {
    const source = plan.steps.find((each) => each.name === name);
    const work = source && works(source.type);
    if (source === undefined || work === undefined) return [];
    const has = !isHandOver(work) && (member === 'rows' ? work.rows : work.file) !== undefined;
    if (has) return [];
    const what = member === 'rows' ? 'rows' : 'file';
    const path = ['steps', step.name, step.type, member];
    return [
      { path, message: `the step ${source.name} (${source.type}) has no ${what} to hand on.` },
    ];
  });
}
