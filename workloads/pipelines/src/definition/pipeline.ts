import { MillraceError, defineSchedule } from '@millrace/engine';
import {
  type Checked,
  type Complain,
  type Complaint,
  type Definition,
  type GivenParameters,
  type Parameter,
  checkSchema,
  givenOf,
  nearest,
  parametersOf,
} from '@millrace/workload-kit';
import {
  type Condition,
  type Plan,
  type PlanStep,
  STEP_TYPES,
  TESTS,
  stepsBefore,
} from './plan.ts';
import { checkNames } from './names.ts';
import { type PipelineFile, type ScheduleWords, type StepWords, pipelineFile } from './schema.ts';

/** A pipeline file that is good. */
export interface Pipeline extends Plan {
  readonly name: string;
  readonly timeZone: string;
  readonly parameters: readonly Parameter[];
  readonly schedules: readonly PipelineSchedule[];
}

export interface PipelineSchedule {
  /** In the engine: `pipeline:<pipeline>`, or `pipeline:<pipeline>:<its own name or number>`. */
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly parameters: GivenParameters;
  /** A service identity. */
  readonly as: string;
  readonly missed: 'last' | 'skip' | 'all';
  readonly overlap: 'skip' | 'allow';
}

export type PipelineDefinition = Definition<Pipeline>;

/** GET /pipelines/runs is about runs. */
const RESERVED = 'runs';
/** A page shows so many, and a run with more is more than anybody oversees. */
const MOST_STEPS = 50;

/** A pipeline file by itself: first the form of each field, then what the fields say about each other. */
export function checkPipeline(
  name: string,
  value: unknown,
  defaults: { readonly timeZone: string },
): Checked<Pipeline> {
  const checked = checkSchema(pipelineFile, value);
  if ('complaints' in checked) return checked;
  const complaints: Complaint[] = [];
  const complain: Complain = (path, message, more = {}) =>
    complaints.push({ path, message, ...more });
  const pipeline = pipelineOf(name, checked.value, defaults, complain);
  if (name === RESERVED)
    complain(
      ['title'],
      `the file cannot be called ${RESERVED}.yaml, which is a word of the API. Rename it.`,
    );
  return complaints.length > 0 ? { complaints } : { value: pipeline };
}

function pipelineOf(
  name: string,
  file: PipelineFile,
  defaults: { readonly timeZone: string },
  complain: Complain,
): Pipeline {
  const parameters = parametersOf(file.parameters ?? {}, complain);
  for (const { name: parameter, suggest } of parameters)
    if (suggest !== null)
      complain(
        ['parameters', parameter, 'suggest'],
        'a pipeline has no database to ask. Write choices.',
      );
  const timeZone = file.timeZone ?? defaults.timeZone;
  const steps = stepsOf(file.steps, complain);
  const { title, description = null } = file;
  const plan = { title, description, steps };
  if (!hasCycle(plan, complain)) checkNames(plan, parameters, complain);
  return {
    ...plan,
    name,
    timeZone,
    parameters,
    schedules: (file.schedule ?? []).map((words, index) =>
      scheduleOf(words, index, { pipeline: name, parameters, timeZone }, complain),
    ),
  };
}

function stepsOf(words: PipelineFile['steps'], complain: Complain): PlanStep[] {
  const entries = Object.entries(words);
  const names = entries.map(([name]) => name);
  if (entries.length === 0) complain(['steps'], 'there is no step. Write at least one.');
  if (entries.length > MOST_STEPS)
    complain(['steps'], `a pipeline has ${MOST_STEPS} steps at most.`);
  return entries.map(([name, step], index) => {
    const { type, input } = typeOf(name, step, complain);
    const before = names[index - 1];
    const after = step.after ?? (before === undefined ? [] : [before]);
    for (const [place, other] of after.entries()) {
      if (names.includes(other) && after.indexOf(other) === place) continue;
      const meant = nearest(other, names);
      const help = meant === null ? '' : ` Did you mean "${meant}"?`;
      complain(
        ['steps', name, 'after', place],
        after.indexOf(other) < place
          ? `${other} is named twice.`
          : `there is no step ${other}.${help}`,
      );
    }
    return {
      name,
      title: step.title ?? titleOf(name),
      type,
      input,
      after,
      when: conditionsOf(name, step, complain),
      onFailure: step.onFailure ?? 'stop',
    };
  });
}

/** `customer_list` is shown as "Customer list". */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function typeOf(
  name: string,
  step: StepWords,
  complain: Complain,
): Pick<PlanStep, 'type' | 'input'> {
  const types = STEP_TYPES.filter((each) => step[each] !== undefined);
  const [type] = types;
  if (type === undefined)
    complain(['steps', name], `this does nothing yet. Write one of ${STEP_TYPES.join(', ')}.`);
  else if (types.length > 1)
    complain(
      ['steps', name, types[1] ?? type],
      `a step does one thing, and this one does ${types.join(' and ')}. Make two of it.`,
      { atKey: true },
    );
  return { type: type ?? 'webhook', input: (type && step[type]) ?? {} };
}

function conditionsOf(name: string, { when = {} }: StepWords, complain: Complain): Condition[] {
  return Object.entries(when).flatMap(([of, tests]) => {
    const given = TESTS.filter((test) => tests[test] !== undefined);
    if (given.length === 0)
      complain(['steps', name, 'when', of], `write a condition, such as { above: 0 }.`);
    return given.map((test) => ({ of, test, value: tests[test] ?? null }));
  });
}

/** What waits for itself would wait for ever. */
function hasCycle(plan: Plan, complain: Complain): boolean {
  const circling = plan.steps.filter(({ name }) => stepsBefore(plan, name).has(name));
  for (const { name } of circling)
    complain(['steps', name, 'after'], 'the step waits for itself, by those that it waits for.', {
      atKey: true,
    });
  return circling.length > 0;
}

function scheduleOf(
  words: ScheduleWords,
  index: number,
  around: {
    readonly pipeline: string;
    readonly parameters: readonly Parameter[];
    readonly timeZone: string;
  },
  complain: Complain,
): PipelineSchedule {
  const { pipeline, parameters } = around;
  const path = ['schedule', index];
  const own = words.name ?? (index === 0 ? null : String(index + 1));
  const name = own === null ? `pipeline:${pipeline}` : `pipeline:${pipeline}:${own}`;
  const timeZone = words.timeZone ?? around.timeZone;
  try {
    defineSchedule({ name, cron: words.cron, timeZone, job: { kind: 'x', data: {} } });
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    complain(
      [...path, 'cron'],
      'this is no cron expression. Write minute, hour, day, month and weekday, such as 0 6 1 * * for the first of each month at six.',
    );
  }
  return {
    name,
    cron: words.cron,
    timeZone,
    parameters: givenOf(parameters, words.parameters ?? {}, [...path, 'parameters'], complain),
    as: words.as,
    missed: words.missed ?? 'last',
    overlap: words.overlap ?? 'skip',
  };
}
