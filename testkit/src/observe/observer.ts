import type { MemoryStore } from '@millrace/store-memory';
import type { Observation } from './observation.ts';
import { observeClaim } from './observe-claim.ts';
import {
  observeCancel,
  observeEnqueue,
  observeErase,
  observePrune,
  observeRetry,
} from './observe-hand.ts';
import { observeCheckpoint, observeRenew, observeSettle } from './observe-writes.ts';

/**
 * Stands between the fault layer and the store: it sees what really arrived, in which order, and how the
 * store answered, whether or not the caller ever hears of it.
 */
export function observe(seen: Observation, store: MemoryStore, who: string): MemoryStore {
  const { followers, schedules, control } = store;
  return {
    ...store,
    enqueue: (params) => observeEnqueue(seen, store, who, params),
    claim: (params) => observeClaim(seen, store, who, params),
    renew: (params) => observeRenew(seen, store, who, params),
    settle: (params) => observeSettle(seen, store, who, params),
    cancel: (params) => observeCancel(seen, store, who, params),
    retry: (params) => observeRetry(seen, store, who, params),
    erase: (params) => observeErase(seen, store, who, params),
    chunks: { checkpoint: (params) => observeCheckpoint(seen, store, who, params) },
    upkeep: { ...store.upkeep, prune: (params) => observePrune(seen, store, who, params) },
    control: {
      ...control,
      async pause(params) {
        const changed = await control.pause(params);
        seen.trace.add(who, `pause ${params.kind}`);
        seen.ledger.pausedKinds.add(params.kind);
        return changed;
      },
      async resume(params) {
        const changed = await control.resume(params);
        seen.trace.add(who, `resume ${params.kind}`);
        seen.ledger.pausedKinds.delete(params.kind);
        return changed;
      },
    },
    schedules: {
      ...schedules,
      async sync(params) {
        const statuses = await schedules.sync(params);
        seen.ticks.synced(statuses);
        return statuses;
      },
      async fire(params) {
        const answer = await schedules.fire(params);
        seen.trace.add(who, `fire ${params.schedule} ${params.tick}: ${answer.type}`);
        if (answer.type === 'fired') seen.followUps.fired(params.schedule);
        seen.ticks.fired(params, answer);
        await seen.discover('fire');
        return answer;
      },
    },
    followers: {
      children: (params) => followers.children(params),
      gates: (params) => followers.gates(params),
      async closeGates(params) {
        const gates = await followers.closeGates(params);
        for (const gate of gates) {
          seen.trace.add(who, `gate ${gate.rule} ${gate.key} closed`);
          seen.followUps.closed(gate, seen.now());
        }
        return gates;
      },
    },
  };
}
