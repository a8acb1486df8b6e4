/** For each report, the reports after which it is made. */
export type Parents = ReadonlyMap<string, readonly string[]>;

/**
 * The cycles of the rules, each with the report that closes it: of those that have changed the last by name, since the others
 * were fine together without it. The path begins and ends with that report, in the order in which the reports would be made.
 */
export function cyclesOf(
  parents: Parents,
  changed: ReadonlySet<string>,
): { readonly closing: string; readonly path: readonly string[] }[] {
  const left = new Map(parents);
  const found: { closing: string; path: readonly string[] }[] = [];
  for (;;) {
    const cycle = anyCycle(left);
    if (cycle === null) return found;
    const culprits = cycle.filter((name) => changed.has(name));
    const [closing = ''] = (culprits.length > 0 ? culprits : cycle).toSorted().slice(-1);
    const at = cycle.indexOf(closing);
    found.push({ closing, path: [...cycle.slice(at), ...cycle.slice(0, at), closing] });
    // Without its rules the rest is looked at again: two cycles may have nothing to do with each other.
    left.set(closing, []);
  }
}

/** Parents before children. Null: there is none. In a loop, since a chain of files may be longer than the stack is deep. */
function anyCycle(parents: Parents): string[] | null {
  const done = new Set<string>();
  for (const start of parents.keys()) {
    /** From a child to its parents. */
    const path = [start];
    /** Through how many of its parents each name of the path has been. */
    const through = new Map([[start, 0]]);
    for (let name: string | undefined = start; name !== undefined; name = path.at(-1)) {
      const next = through.get(name) ?? 0;
      const parent = done.has(name) ? undefined : parents.get(name)?.[next];
      if (parent === undefined) {
        done.add(name);
        through.delete(name);
        path.pop();
        continue;
      }
      if (through.has(parent)) return path.slice(path.indexOf(parent)).toReversed();
      through.set(name, next + 1).set(parent, 0);
      path.push(parent);
    }
  }
  return null;
}
