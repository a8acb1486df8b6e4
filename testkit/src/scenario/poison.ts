import { MillraceError, type Settlement, type Store } from '@millrace/engine';
import type { FaultCounts } from '../world/link.ts';

/**
 * A store that refuses certain results, as Postgres does with what it cannot keep: the whole batch fails,
 * and the settler has to find the one that is to blame.
 */
export function refusePoison<S extends Store>(store: S, counts: FaultCounts): S {
  return {
    ...store,
    async settle(params) {
      if (!params.settlements.some(isPoisoned)) return store.settle(params);
      counts.poisonedResult += 1;
      throw new MillraceError('invalid_text', 'A result in this batch cannot be stored.');
    },
  };
}

function isPoisoned({ outcome }: Settlement): boolean {
  return outcome.move === 'succeed' && outcome.result.includes('poison');
}
