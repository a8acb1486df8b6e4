// Where each package stands in docs/architecture.svg: every import points to a row further down, and no row is
// wider than the picture. Nothing is placed by hand, so that a new package moves in by itself.

import { arranged } from '../console/src/ui/arranged.mjs';

/** @typedef {import('../console/src/ui/arranged.mjs').Place} Place */

/**
 * The rows, uppermost first, each in its order from left to right.
 *
 * @param {ReadonlyMap<string, readonly string[]>} uses per package, the packages that it imports
 * @param {number} widest the most boxes of a row
 * @returns {Place[][]}
 */
export function layersOf(uses, widest) {
  const direct = withoutDetours(uses);
  const rows = split(levelsOf(direct), widest);
  return arranged(rows, direct);
}

/**
 * Leaves out an import of what another import leads to anyway: 27 lines between 15 packages are a knot,
 * 18 can be followed.
 *
 * @param {ReadonlyMap<string, readonly string[]>} uses
 */
function withoutDetours(uses) {
  const reached = new Map([...uses.keys()].map((name) => [name, reachedFrom(name, uses)]));
  for (const [name, all] of reached) {
    if (all.has(name)) throw new Error(`${name} imports itself by way of its imports.`);
  }
  return new Map(
    [...uses].map(([name, all]) => [
      name,
      all.filter((to) => !all.some((other) => reached.get(other)?.has(to))),
    ]),
  );
}

/** @type {(name: string, uses: ReadonlyMap<string, readonly string[]>) => Set<string>} */
function reachedFrom(name, uses) {
  /** @type {Set<string>} */
  const reached = new Set();
  const ahead = [...(uses.get(name) ?? [])];
  for (const next of ahead) {
    if (reached.has(next)) continue;
    reached.add(next);
    ahead.push(...(uses.get(next) ?? []));
  }
  return reached;
}

/**
 * As high as the packages above allow: api/ right below the command line, not beside the engine.
 *
 * @param {ReadonlyMap<string, readonly string[]>} uses
 * @returns {string[][]}
 */
function levelsOf(uses) {
  const names = [...uses.keys()];
  /** @type {(name: string) => number} */
  const level = (name) =>
    Math.max(
      0,
      ...names.filter((above) => uses.get(above)?.includes(name)).map((above) => level(above) + 1),
    );
  /** @type {string[][]} */
  const levels = [];
  for (const name of names.toSorted()) (levels[level(name)] ??= []).push(name);
  return levels;
}

/**
 * @param {string[][]} levels
 * @param {number} widest
 */
function split(levels, widest) {
  return levels.flatMap((level) => {
    const rows = Math.ceil(level.length / widest);
    const size = Math.ceil(level.length / rows);
    return Array.from({ length: rows }, (_, row) => level.slice(row * size, (row + 1) * size));
  });
}
