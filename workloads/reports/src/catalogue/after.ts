import { type Complain, nearest, small, wrongWith } from '@millrace/workload-kit';
import type { Given, Parameter } from '../parameters/types.ts';
import type { AfterCondition, AfterParent, AfterRule, Mapped } from '../rules/types.ts';
import { outputOf } from './schedules.ts';
import type { AfterWords } from './schema.ts';
import type { Outputs } from './types.ts';

type Path = readonly (string | number)[];
type WhenWords = AfterWords['when'];

/** The rules of one file, as far as they can be judged without the files that they name. */
export function afterOf(
  words: readonly AfterWords[],
  around: { readonly parameters: readonly Parameter[]; readonly outputs: Outputs },
  complain: Complain,
): AfterRule[] {
  return words.map((each, index) => {
    const path = ['after', index];
    const parents = parentsOf(each, path, complain);
    return {
      parents,
      withinMs: each.within ?? null,
      parameters: mappingOf(each.parameters ?? {}, parents, around.parameters, path, complain),
      as: each.as,
      output: outputOf(around.outputs, each.output, [...path, 'output'], complain),
    };
  });
}

function parentsOf(words: AfterWords, path: Path, complain: Complain): AfterParent[] {
  const { report, all, match, within } = words;
  if ((report === undefined) === (all === undefined)) {
    complain(
      path,
      'name one report (report: timesheets) or several (all: [timesheets, payments]).',
    );
    return [];
  }
  if (all === undefined) {
    for (const [field, value] of Object.entries({ match, within }))
      if (value !== undefined)
        complain(
          [...path, field],
          'this is for several reports, which wait for each other. Remove it.',
          {
            atKey: true,
          },
        );
    return [{ report: report ?? '', match: null, when: conditionsOf([words.when]) }];
  }
  return all.map((parent, index) => {
    const at = [...path, 'all', index];
    if (all.findIndex((other) => other.report === parent.report) < index)
      complain(at, `${parent.report} is named twice.`);
    const own = parent.match ?? match;
    if (own === undefined)
      complain(
        at,
        'say by which parameter the reports belong together, such as match: business_date. Without it, what is left of yesterday would be paired with today.',
      );
    return {
      report: parent.report,
      match: own ?? null,
      when: conditionsOf([words.when, parent.when]),
    };
  });
}

function conditionsOf(words: readonly WhenWords[]): AfterCondition[] {
  return words.flatMap((each) =>
    each === undefined
      ? []
      : [
          {
            rows:
              each.rows === undefined
                ? null
                : { above: each.rows.above ?? null, below: each.rows.below ?? null },
            parameters: each.parameters ?? {},
            as: each.as ?? null,
          },
        ],
  );
}

const OF_PARENT = /^([a-z0-9][a-z0-9-]*)\.([a-z][a-z0-9_]*)$/;

/** `payments.paid_on` is the parameter of a parent; whatever names none is a value. */
function mappingOf(
  words: Readonly<Record<string, Given>>,
  parents: readonly AfterParent[],
  parameters: readonly Parameter[],
  path: Path,
  complain: Complain,
): Record<string, Mapped> {
  const names = parents.map(({ report }) => report);
  const mapped: Record<string, Mapped> = {};
  for (const [name, given] of Object.entries(words)) {
    const at = [...path, 'parameters', name];
    const parameter = parameters.find((each) => each.name === name);
    if (parameter === undefined) {
      const meant = nearest(
        name,
        parameters.map((each) => each.name),
      );
      const help = meant === null ? '' : ` Did you mean "${meant}"?`;
      complain(at, `the report has no such parameter.${help}`, { atKey: true });
      continue;
    }
    const [, report = '', own = ''] = (typeof given === 'string' && OF_PARENT.exec(given)) || [];
    if (names.includes(report)) {
      mapped[name] = { from: report, parameter: own };
      continue;
    }
    const meant = report === '' ? null : nearest(report, names);
    const wrong =
      meant === null
        ? wrongWith(parameter, given)
        : `the rule has no report "${report}". Did you mean "${meant}.${own}"?`;
    if (wrong !== null) complain(at, small(wrong));
    mapped[name] = { value: given };
  }
  for (const { name, required, default: fallback } of parameters) {
    if (!required || fallback !== null || Object.hasOwn(words, name)) continue;
    const [first = 'report'] = names;
    complain(
      [...path, 'parameters'],
      `${name} needs a value. Write it, such as ${name}: ${first}.${name} for that of the report before.`,
    );
  }
  return mapped;
}
