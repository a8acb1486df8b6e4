/** Nodes and the gaps between their columns shrink before the graph has to be scrolled. */
const WIDTH = { most: 196, least: 128 };
const GAP_X = { most: 72, least: 24 };
export const PAD = 20;

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
