import {
  type Complaint,
  type FilePath,
  SERVICES,
  nearest,
  wrongWith,
} from '@millrace/workload-kit';
import type { Report } from '../catalogue/types.ts';
import { identityOfService, claimsIn } from '../identity/identity.ts';
import { decideRows } from '../identity/row-rules.ts';
import type { ServiceIdentity } from '../identity/types.ts';
import type { Parameter, ParameterType } from '../parameters/types.ts';
import { cyclesOf } from './cycles.ts';
import type { AfterParent, AfterRule } from './types.ts';

export interface Reviewed {
  readonly reports: ReadonlyMap<string, Report>;
  /** Null: services.yaml has problems of its own, and nothing can be said about who is in it. */
  readonly services: ReadonlyMap<string, ServiceIdentity> | null;
  readonly changed: ReadonlySet<string>;
  /** All files, also those with problems: a rule after one of them waits until it is corrected. */
  readonly names: ReadonlySet<string>;
}

type Found = Complaint & { readonly name: string };
/** About the file that is being looked at. */
type Say = (path: FilePath, message: string) => void;

/** What is wrong with report files together: who refers to what is not there, or to itself in the end. */
export function reviewReports(all: Reviewed): Found[] {
  const found: Found[] = [];
  for (const report of all.reports.values()) {
    const say: Say = (path, message) => found.push({ name: report.name, path, message });
    for (const [index, schedule] of report.schedules.entries())
      checkService(report, schedule.as, ['schedule', index, 'as'], all, say);
    for (const [index, rule] of report.after.entries())
      checkRule(report, rule, ['after', index], all, say);
  }
  return [...found, ...circles(all)];
}

function circles({ reports, changed }: Reviewed): Found[] {
  const parents = new Map(
    [...reports.values()].map(({ name, after }) => [
      name,
      after.flatMap((rule) => rule.parents.map(({ report }) => report)),
    ]),
  );
  return cyclesOf(parents, changed).map(({ closing, path }) => ({
    name: closing,
    path: ['after'],
    message: `the reports would follow from each other without end: ${path.join(', then ')}. Remove one of these rules.`,
    atKey: true,
  }));
}

function checkService(report: Report, as: string, path: FilePath, all: Reviewed, say: Say): void {
  const { services } = all;
  if (services === null) return;
  const service = services.get(as);
  if (service === undefined) {
    const meant = nearest(as, [...services.keys()]);
    const help =
      meant === null
        ? `Add it to ${SERVICES}.yaml, with its roles and claims.`
        : `Did you mean "${meant}"?`;
    return say(path, `there is no service identity "${as}". ${help}`);
  }
  const decision = decideRows(report, identityOfService(service, new Set(claimsIn(report.rows))));
  if (decision.see === 'nothing')
    say(
      path,
      `by the row rules of the report, ${as} sees nothing of it. Give it roles or claims in ${SERVICES}.yaml.`,
    );
}

function checkRule(report: Report, rule: AfterRule, path: FilePath, all: Reviewed, say: Say): void {
  if (rule.as !== 'parent') checkService(report, rule.as, [...path, 'as'], all, say);
  const isOne = rule.parents.length === 1;
  for (const [index, parent] of rule.parents.entries())
    checkParent(parent, isOne ? [...path, 'report'] : [...path, 'all', index], all, say);
  checkMatch(rule, path, all, say);
  for (const [name, mapped] of Object.entries(rule.parameters)) {
    if (!('from' in mapped)) continue;
    const source = all.reports.get(mapped.from);
    const from = source?.parameters.find((each) => each.name === mapped.parameter);
    const to = report.parameters.find((each) => each.name === name);
    const at = [...path, 'parameters', name];
    if (source === undefined || to === undefined) continue;
    if (from === undefined) say(at, noParameter(source, mapped.parameter));
    else if (!canBecome(from, to))
      say(at, `a ${typeWords(from)} cannot become a ${typeWords(to)}. Map another parameter.`);
  }
}

function checkParent(parent: AfterParent, path: FilePath, all: Reviewed, say: Say): void {
  const { reports, names, services } = all;
  if (!names.has(parent.report) || parent.report === SERVICES) {
    const meant = nearest(
      parent.report,
      [...names].filter((name) => name !== SERVICES),
    );
    const help = meant === null ? `Is ${parent.report}.yaml missing?` : `Did you mean "${meant}"?`;
    return say(path, `there is no report "${parent.report}". ${help}`);
  }
  const report = reports.get(parent.report);
  if (report === undefined) return;
  for (const { parameters, as } of parent.when) {
    if (as !== null && services !== null && !services.has(as))
      say(path, `there is no service identity "${as}", so that nothing would ever follow.`);
    for (const [name, values] of Object.entries(parameters)) {
      const parameter = report.parameters.find((each) => each.name === name);
      if (parameter === undefined) say(path, noParameter(report, name));
      else checkCondition(parameter, values, path, say);
    }
  }
}

/** Of a list any of the values. */
function checkCondition(
  parameter: Parameter,
  values: readonly (string | null)[],
  path: FilePath,
  say: Say,
): void {
  for (const value of values) {
    const wrong = value === null ? null : wrongWith({ ...parameter, list: false }, value);
    if (wrong !== null) say(path, `when.parameters.${parameter.name}: ${wrong}`);
  }
}

function checkMatch(rule: AfterRule, path: FilePath, all: Reviewed, say: Say): void {
  const matched = rule.parents.flatMap(({ report, match }) => {
    const parent = all.reports.get(report);
    if (parent === undefined || match === null) return [];
    const parameter = parent.parameters.find(({ name }) => name === match);
    if (parameter !== undefined) return [parameter];
    say([...path, 'match'], noParameter(parent, match));
    return [];
  });
  const [first] = matched;
  const other = matched.find(({ type, list }) => type !== first?.type || list !== first.list);
  if (first !== undefined && other !== undefined)
    say(
      [...path, 'match'],
      `a ${typeWords(first)} and a ${typeWords(other)} are never the same. Match parameters of one type.`,
    );
}

function noParameter(report: Report, name: string): string {
  const names = report.parameters.map((each) => each.name);
  const meant = nearest(name, names);
  const there = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`;
  return `${report.name} has no parameter "${name}". ${meant === null ? there : `Did you mean "${meant}"?`}`;
}

function typeWords({ type, list }: Parameter): string {
  return list ? `list of the type ${type}` : type;
}

/** Beside its own type. What then does not fit, such as a text that is none of the choices, ends the child with a sentence. */
const BECOMES: Readonly<Record<ParameterType, readonly ParameterType[]>> = {
  text: ['choice'],
  'whole number': ['decimal', 'text', 'choice'],
  decimal: ['text'],
  date: ['date range', 'text'],
  'date range': ['text'],
  month: ['date range', 'text'],
  boolean: ['text', 'choice'],
  choice: ['text'],
};

function canBecome(from: Parameter, to: Parameter): boolean {
  const isType = from.type === to.type || BECOMES[from.type].includes(to.type);
  return isType && (to.list || !from.list);
}
