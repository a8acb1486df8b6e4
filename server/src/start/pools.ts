import { MillraceError, type PoolConfig } from '@millrace/engine';

/**
 * The operator's pools, and those that workloads bring for kinds that must not wait behind others. Where the operator names such a kind,
 * their pool has it: concurrency, rhythm, priorities and pauses of every kind can be set.
 */
export function mergedPools(
  own: readonly PoolConfig[],
  ofWorkloads: readonly PoolConfig[],
): PoolConfig[] {
  const named = new Set(own.flatMap(({ kinds = [] }) => kinds));
  const left = ofWorkloads.flatMap((pool) => {
    const kinds = pool.kinds?.filter((kind) => !named.has(kind)) ?? [];
    return kinds.length === 0 ? [] : [{ ...pool, kinds }];
  });
  for (const { name, kinds } of left) {
    if (!own.some((pool) => pool.name === name)) continue;
    throw new MillraceError(
      'invalid_definition',
      `MILLRACE_POOLS: the pool "${name}" has the kind "${kinds.join('", "')}" by itself. Add it to the kinds of yours, or choose another name.`,
    );
  }
  return [...own, ...left];
}
