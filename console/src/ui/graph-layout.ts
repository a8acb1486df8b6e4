// A graph in stages, from left to right: whatever waits for others stands to the right of all of them, and no line runs behind a
// node. Pure, so that it is tested.

import { arranged } from './arranged.mjs';

export interface StageNode {
  readonly id: string;
  readonly after: readonly string[];
}

/** The ids by stage, each stage in the order given. A circle, which the service refuses, ends in the last stage instead of hanging. */
export function stagesOf(nodes: readonly StageNode[]): string[][] {
  const left = new Map(nodes.map((node) => [node.id, node]));
  const stages: string[][] = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ after }) => after.every((id) => !left.has(id)));
    const stage = (ready.length > 0 ? ready : [...left.values()]).map(({ id }) => id);
    stages.push(stage);
    for (const id of stage) left.delete(id);
  }
  return stages;
}

/** Nodes and the gaps between their columns shrink before the graph has to be scrolled. */
const WIDTH = { most: 196, least: 128 };
const GAP_X = { most: 72, least: 24 };
const PAD = 20;

export function widthOf(stages: number, node: number, gap: number): number {
  return 2 * PAD + stages * node + (stages - 1) * gap;
}

/** As wide as there is room, down to what can still be read; null where that is not enough. `available`: null before it is known. */
export function fitted(
  stages: number,
  available: number | null,
): { readonly node: number; readonly gap: number } | null {
  const most = widthOf(stages, WIDTH.most, GAP_X.most);
  const least = widthOf(stages, WIDTH.least, GAP_X.least);
  if (available === null || available >= most) return { node: WIDTH.most, gap: GAP_X.most };
  if (available < least) return null;
  const part = (available - least) / (most - least);
  return {
    node: Math.floor(WIDTH.least + part * (WIDTH.most - WIDTH.least)),
    gap: Math.floor(GAP_X.least + part * (GAP_X.most - GAP_X.least)),
  };
}

export const NODE_HEIGHT = 64;
/** A line that passes a column between its nodes. */
const PASSAGE_HEIGHT = 8;
const GAP_Y = 20;

export interface GraphLine {
  readonly from: string;
  readonly to: string;
  /** Where it runs: straight beside the nodes of a column, curved between two columns. */
  readonly points: readonly { readonly left: number; readonly right: number; readonly y: number }[];
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** The upper left corners of the nodes. */
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly lines: readonly GraphLine[];
}

export function laidOut(
  nodes: readonly StageNode[],
  stages: readonly (readonly string[])[],
  { node, gap }: { readonly node: number; readonly gap: number },
): GraphLayout {
  const columnOf = new Map(stages.flatMap((stage, at) => stage.map((id) => [id, at] as const)));
  const isAhead = (from: string, to: string) =>
    (columnOf.get(from) ?? Infinity) < (columnOf.get(to) ?? -1);
  const following = new Map(
    nodes.map(({ id }) => {
      const next = nodes.filter((other) => other.after.includes(id) && isAhead(id, other.id));
      return [id, next.map((other) => other.id)];
    }),
  );
  const columns = arranged(stages, following).map((column) =>
    column.map((place) => ({ ...place, height: place.box ? NODE_HEIGHT : PASSAGE_HEIGHT })),
  );
  const heights = columns.map((column) =>
    column.reduce((sum, { height }) => sum + height + GAP_Y, -GAP_Y),
  );
  const highest = Math.max(NODE_HEIGHT, ...heights);
  const placed = columns.map((column, at) => {
    let y = PAD + (highest - (heights[at] ?? 0)) / 2;
    return column.map((place) => {
      const top = y;
      y += place.height + GAP_Y;
      return { ...place, x: PAD + at * (node + gap), y: top };
    });
  });
  const boxes = placed.flatMap((column, at) =>
    column.filter(({ box }) => box).map((place) => ({ ...place, at })),
  );

  /** From a node to the next one, by way of the passages that are kept free for the line. */
  function lineOf(start: (typeof boxes)[number], first: string): GraphLine {
    const passed = [start];
    let key = first;
    for (let at = start.at + 1; ; at++) {
      const place = placed[at]?.find((each) => each.key === key);
      if (place === undefined) break;
      passed.push({ ...place, at });
      if (place.box) break;
      key = place.below[0] ?? '';
    }
    const points = passed.map(({ x, y, height }) => ({
      left: x,
      right: x + node,
      y: y + height / 2,
    }));
    return { from: start.key, to: key, points };
  }

  return {
    width: widthOf(stages.length, node, gap),
    height: 2 * PAD + highest,
    places: new Map(boxes.map(({ key, x, y }) => [key, { x, y }])),
    lines: boxes.flatMap((start) => start.below.map((first) => lineOf(start, first))),
  };
}

/** From the right edge of the first node to the left edge of the last. */
export function pathOf({ points }: GraphLine): string {
  return points
    .map(({ left, right, y }, at) => {
      const before = points[at - 1];
      if (before === undefined) return `M${right} ${y}`;
      const turn = (before.right + left) / 2;
      const curve = `C${turn} ${before.y} ${turn} ${y} ${left} ${y}`;
      return at < points.length - 1 ? `${curve}H${right}` : curve;
    })
    .join('');
}
