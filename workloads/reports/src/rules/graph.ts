import type { CatalogueView } from '../catalogue/types.ts';
import type { GraphEdge, ReportGraph } from './types.ts';
import { conditionInWords } from './words.ts';

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
        when: parent.when.length === 0 ? null : parent.when.map(conditionInWords).join(' and '),
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
