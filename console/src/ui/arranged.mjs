// The order of a graph's places in rows, so that few lines cross and none runs behind a box. Plain JavaScript: the console draws
// graphs of pipelines and reports with it, and scripts/picture.mjs the architecture.

/**
 * A line that passes a row without ending there keeps a narrow place free between the row's boxes: it would be hidden
 * behind one of them otherwise.
 *
 * @typedef {{ readonly key: string, readonly box: boolean, readonly below: string[] }} Place
 */

/**
 * The same rows, with places for the lines that pass them.
 *
 * @param {readonly (readonly string[])[]} rows
 * @param {ReadonlyMap<string, readonly string[]>} uses per name, those in rows further down that it has a line to
 * @returns {Place[][]}
 */
export function arranged(rows, uses) {
  return ordered(withPassages(rows, uses));
}

/**
 * @param {readonly (readonly string[])[]} rows
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
