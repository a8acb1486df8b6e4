import { beforeAll, describe, it } from 'vitest';
import {
  type Check,
  type Need,
  type Section,
  type StoreHarness,
  createWorld,
  has,
} from './harness.ts';
import { setPrecision } from './observe.ts';
import { amend } from './sections/amend.ts';
import { batches } from './sections/batches.ts';
import { cancel } from './sections/cancel.ts';
import { checkpoints } from './sections/checkpoints.ts';
import { claim } from './sections/claim.ts';
import { control } from './sections/control.ts';
import { counts } from './sections/counts.ts';
import { dependants } from './sections/dependants.ts';
import { due } from './sections/due.ts';
import { erasure } from './sections/erasure.ts';
import { executions } from './sections/executions.ts';
import { fairness } from './sections/fairness.ts';
import { fence } from './sections/fence.ts';
import { gates } from './sections/gates.ts';
import { hints } from './sections/hints.ts';
import { keys } from './sections/keys.ts';
import { leases } from './sections/leases.ts';
import { moves } from './sections/moves.ts';
import { poison } from './sections/poison.ts';
import { queries } from './sections/queries.ts';
import { replay } from './sections/replay.ts';
import { retention } from './sections/retention.ts';
import { retry } from './sections/retry.ts';
import { schedules } from './sections/schedules.ts';
import { settle } from './sections/settle.ts';
import { summaries } from './sections/summaries.ts';
import { suspects } from './sections/suspects.ts';
import { text } from './sections/text.ts';
import { traces } from './sections/traces.ts';
import { transactions } from './sections/transactions.ts';
import { turns } from './sections/turns.ts';

const SECTIONS: readonly Section[] = [
  batches,
  claim,
  due,
  fairness,
  turns,
  replay,
  leases,
  suspects,
  fence,
  settle,
  moves,
  executions,
  poison,
  text,
  traces,
  checkpoints,
  keys,
  cancel,
  retry,
  amend,
  dependants,
  gates,
  schedules,
  queries,
  summaries,
  counts,
  hints,
  control,
  retention,
  erasure,
  transactions,
];

/** Every guarantee of the store port, one test each. `start` gives a fresh, empty database. */
export function describeStoreContract(
  name: string,
  start: () => Promise<StoreHarness>,
  /** How far a time may be from what it should be, on a store that rounds. */
  { precisionMs = 0 }: { readonly precisionMs?: number } = {},
): void {
  describe(`store contract: ${name}`, () => {
    beforeAll(() => setPrecision(precisionMs));
    for (const section of SECTIONS) {
      describe(section.title, () => section.checks(checkWith(start, section.needs ?? [])));
    }
  });
}

function checkWith(start: () => Promise<StoreHarness>, needs: readonly Need[]): Check {
  return (title, body, more = []) => {
    it(title, async ({ skip }) => {
      const harness = await start();
      try {
        const world = await createWorld(harness);
        for (const need of [...needs, ...more]) skip(!has(world, need), `the store has no ${need}`);
        await body(world);
      } finally {
        await harness.close();
      }
    });
  };
}
