import type { CatalogueView } from '../catalogue/types.ts';
import type { AfterCondition, GraphEdge, ReportGraph } from './types.ts';

/** Which report follows from which. A parent whose file has problems is a node without a title of its own. */
export function graphOf(view: CatalogueView): ReportGraph {
  const edges = [...view.reports.values()].flatMap(({ value: report }) =>
    report.after.flatMap(({ parents, as }, rule) =>
      parents.map((parent): GraphEdge => ({
        from: parent.report,
        to: report.name,
        rule,
        kind: parents.length === 1 ? 'one' : 'all',
        match: parent.match,
        as,
        when: conditionsInWords(parent.when),
      })),
    ),
  );
  const names = new Set([...view.reports.keys(), ...edges.map(({ from }) => from)]);
  return {
    nodes: [...names].toSorted().map((name) => {
      const report = view.reports.get(name)?.value;
      return {
        report: name,
        title: report?.title ?? name,
        schedules: report?.schedules.length ?? 0,
        inForce: report !== undefined,
      };
    }),
    edges,
  };
}

/** Null: there are none. */
export function conditionsInWords(conditions: readonly AfterCondition[]): string | null {
  return conditions.length === 0 ? null : conditions.map(inWords).join(' and ');
}

function inWords({ rows, parameters, as }: AfterCondition): string {
  return [
    ...(rows?.above == null ? [] : [`more than ${rows.above} rows`]),
    ...(rows?.below == null ? [] : [`fewer than ${rows.below} rows`]),
    ...Object.entries(parameters).map(
      ([name, values]) => `${name} is ${values.map((value) => value ?? 'empty').join(' or ')}`,
    ),
    ...(as === null ? [] : [`run as ${as}`]),
  ].join(' and ');
}
