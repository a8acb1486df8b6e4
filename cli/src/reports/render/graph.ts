import type { ReportGraph } from '@millrace/reports/contract';
import type { Paint } from '../../render/colour.ts';

type Node = ReportGraph['nodes'][number];
type Edge = ReportGraph['edges'][number];

/**
 * What follows from what, as a tree: a report that waits for several stands below each of them, and what follows from it below
 * the first.
 */
export function graphLines(graph: ReportGraph, paint: Paint): string[] {
  const nodes = new Map(graph.nodes.map((node) => [node.report, node]));
  const shown = new Set<string>();

  function below(report: string, indent: string): string[] {
    const edges = graph.edges.filter(({ from }) => from === report);
    return edges.flatMap((edge, index) => {
      const isLast = index === edges.length - 1;
      const branch = `${indent}${isLast ? '└─ ' : '├─ '}`;
      const isKnown = shown.has(edge.to);
      shown.add(edge.to);
      const more = graph.edges.some(({ from }) => from === edge.to);
      const above = isKnown && more ? paint('dim', ' (goes on above)') : '';
      const line = `${branch}${labelOf(nodes.get(edge.to), edge.to, paint)}${paint('dim', howOf(graph, edge))}${above}`;
      const rest = isKnown ? [] : below(edge.to, `${indent}${isLast ? '   ' : '│  '}`);
      return [line, ...rest];
    });
  }

  const children = new Set(graph.edges.map(({ to }) => to));
  const roots = graph.nodes.filter(({ report }) => !children.has(report));
  return roots.flatMap((root) => [labelOf(root, root.report, paint), ...below(root.report, '')]);
}

function labelOf(node: Node | undefined, report: string, paint: Paint): string {
  const { schedules = 0, inForce = false } = node ?? {};
  const when =
    schedules === 0 ? '' : ` (${schedules === 1 ? 'by schedule' : `${schedules} schedules`})`;
  const wrong = inForce ? '' : paint('red', ' (its file is wrong or gone)');
  return `${paint('bold', report)}${paint('dim', when)}${wrong}`;
}

/** ` when more than 0 rows, with payments of the same business_date; as nightly-exports`. */
function howOf(graph: ReportGraph, edge: Edge): string {
  const others = graph.edges
    .filter((each) => each.to === edge.to && each.rule === edge.rule && each.from !== edge.from)
    .map(({ from }) => from);
  const same = edge.match === null ? '' : ` of the same ${edge.match}`;
  const parts = [
    ...(edge.when === null ? [] : [`when ${edge.when}`]),
    ...(others.length === 0 ? [] : [`with ${others.join(' and ')}${same}`]),
  ];
  const who = edge.as === 'parent' ? '' : `; as ${edge.as}`;
  const how = parts.length === 0 ? '' : ` ${parts.join(', ')}`;
  return `${how}${who}`;
}
