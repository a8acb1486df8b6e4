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
import { batches } from './sections/claiming/batches.ts';
import { cancel } from './sections/running/cancel.ts';
import { checkpoints } from './sections/running/checkpoints.ts';
import { claim } from './sections/claiming/claim.ts';
import { control } from './sections/control.ts';
import { counts } from './sections/reading/counts.ts';
import { dependants } from './sections/following/dependants.ts';
import { due } from './sections/claiming/due.ts';
import { erasure } from './sections/erasure.ts';
import { executions } from './sections/running/executions.ts';
import { fairness } from './sections/claiming/fairness.ts';
import { fence } from './sections/running/fence.ts';
import { gates } from './sections/following/gates.ts';
import { hints } from './sections/hints.ts';
import { keys } from './sections/reading/keys.ts';
import { leases } from './sections/running/leases.ts';
import { moves } from './sections/running/moves.ts';
import { poison } from './sections/claiming/poison.ts';
import { phases } from './sections/reading/phases.ts';
import { queries } from './sections/reading/queries.ts';
import { rearrange } from './sections/rearrange.ts';
import { replay } from './sections/claiming/replay.ts';
import { retention } from './sections/retention.ts';
import { retry } from './sections/running/retry.ts';
import { schedules } from './sections/following/schedules.ts';
import { settle } from './sections/running/settle.ts';
import { summaries } from './sections/reading/summaries.ts';
import { suspects } from './sections/claiming/suspects.ts';
import { text } from './sections/reading/text.ts';
import { traces } from './sections/reading/traces.ts';
import { transactions } from './sections/running/transactions.ts';
import { turns } from './sections/claiming/turns.ts';

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
  rearrange,
  dependants,
  gates,
  schedules,
  queries,
  phases,
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
