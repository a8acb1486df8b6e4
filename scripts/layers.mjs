// Where each package stands in docs/architecture.svg: every import points to a row further down, and no row is
// wider than the picture. Nothing is placed by hand, so that a new package moves in by itself.

/**
 * An import that passes a row without ending there keeps a narrow place free between the row's boxes:
 * its line would be hidden behind one of them otherwise.
 *
 * @typedef {{ readonly key: string, readonly box: boolean, readonly below: string[] }} Place
 */

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
  return ordered(withPassages(rows, direct));
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

/**
 * @param {string[][]} rows
 * @param {ReadonlyMap<string, readonly string[]>} uses
 * @returns {Place[][]}
 */
function withPassages(rows, uses) {
  /** @type {Place[][]} */
  const places = rows.map((row) => row.map((key) => ({ key, box: true, below: [] })));
  for (const [at, row] of rows.entries()) {
    for (const name of row) {
      for (const to of uses.get(name) ?? []) {
        const end = rows.findIndex((other) => other.includes(to));
        let above = places[at]?.find(({ key }) => key === name);
        for (const passed of places.slice(at + 1, end)) {
          const passage = { key: `${name} to ${to}`, box: false, below: [] };
          passed.push(passage);
          above?.below.push(passage.key);
          above = passage;
        }
        above?.below.push(to);
      }
    }
  }
  return places;
}

/**
 * Each row in the order of what its places are joined with in the row above, then below, again and again;
 * the order with the fewest crossings stays. Eight rounds, though three were enough for 24 packages.
 *
 * @param {Place[][]} rows
 */
function ordered(rows) {
  let best = rows;
  let current = rows;
  for (let round = 0; round < 8; round += 1) {
    for (const next of [swept(current), swept(current.toReversed()).toReversed()]) {
      current = next;
      if (crossings(next) < crossings(best)) best = next;
    }
  }
  return best;
}

/** @param {Place[][]} rows */
function swept(rows) {
  /** @type {Place[][]} */
  const done = [];
  for (const row of rows) {
    const before = done.at(-1) ?? [];
    const wanted = new Map(
      row.map((place, at) => [place, middle(place, before) ?? share(at, row)]),
    );
    done.push(row.toSorted((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0)));
  }
  return done;
}

/** @type {(place: Place, row: Place[]) => number | null} */
function middle(place, row) {
  const joined = row.flatMap((other, at) =>
    place.below.includes(other.key) || other.below.includes(place.key) ? [share(at, row)] : [],
  );
  return joined.length === 0 ? null : joined.reduce((sum, at) => sum + at, 0) / joined.length;
}

/** @type {(at: number, row: readonly unknown[]) => number} */
function share(at, row) {
  return (at + 0.5) / row.length;
}

/** @param {Place[][]} rows */
function crossings(rows) {
  let count = 0;
  for (const [at, row] of rows.entries()) {
    const next = rows[at + 1] ?? [];
    const lines = row.flatMap(({ below }, from) =>
      below.map((key) => ({ from, to: next.findIndex((place) => place.key === key) })),
    );
    count += lines.flatMap((a) => lines.filter((b) => a.from < b.from && a.to > b.to)).length;
  }
  return count;
}
