import type { MemoryStore } from '@millrace/store-memory';
import type { Invariant, Sabotage } from '../src/index.ts';
import {
  blameEveryone,
  forgetAttempts,
  forgetCursors,
  giveTwice,
  ignoreDelays,
  ignorePauses,
  ignoreQuota,
  misnameWorkers,
  mixResults,
  renewNothing,
  replayOthers,
  staleIsAlready,
  trustSuspects,
} from './broken-leases.ts';
import {
  childrenTwice,
  closeAnything,
  fireTwice,
  forgetCancels,
  forgetEarly,
  loseJobs,
  makeKeysUnique,
  promiseErasure,
  retryAnything,
} from './broken-records.ts';
import {
  askForMore,
  cancelAtWill,
  dropProgress,
  dropHandBacks,
  forgetGates,
  hideSuspicion,
  openGates,
  repeatChunksLate,
} from './broken-surroundings.ts';

/** A way to break something, and the invariant that must notice. */
export interface Proof {
  readonly name: string;
  readonly noticedAs: Invariant;
  /** Made again for each seed: some keep something in mind. */
  readonly sabotage: () => Sabotage;
  /** A seed that shows what few do: the search begins here. Where a change has moved it, the search takes longer. */
  readonly from?: number;
}

export const PROOFS: readonly Proof[] = [
  {
    name: 'a store without a fence',
    noticedAs: 'staleWrite',
    sabotage: () => ({ holds: () => true }),
  },
  {
    name: 'a fence that looks at the job alone',
    noticedAs: 'staleWrite',
    sabotage: () => ({ holds: (lease, current) => lease.id === current.id }),
  },
  {
    name: 'a fence that lets older epochs pass',
    noticedAs: 'staleWrite',
    sabotage: () => ({ holds: (lease, current) => lease.epoch <= current.epoch }),
  },
  {
    name: 'a fence of epochs alone, which come again after a fail-over',
    noticedAs: 'staleWrite',
    sabotage: () => ({ holds: (lease, current) => lease.epoch === current.epoch }),
  },
  {
    name: 'jobs reported as lost that were not alone',
    noticedAs: 'workerLost',
    sabotage: () => inStore(blameEveryone),
  },
  {
    name: 'suspects given among others',
    noticedAs: 'claimRules',
    sabotage: () => inStore(trustSuspects),
  },
  {
    name: 'suspects run beside others',
    noticedAs: 'alone',
    sabotage: () => ({ engineStore: hideSuspicion }),
  },
  {
    name: 'innocents that run beside the one that ends their worker',
    noticedAs: 'innocence',
    sabotage: () => ({ engineStore: hideSuspicion }),
    from: 57,
  },
  {
    name: 'erasure that is promised and not done',
    noticedAs: 'erasure',
    sabotage: () => inStore(promiseErasure),
  },
  {
    name: 'stale settlements answered as settled already',
    noticedAs: 'staleWrite',
    sabotage: () => inStore(staleIsAlready),
  },
  {
    name: 'a lease refused to its holder',
    noticedAs: 'refusedWrite',
    sabotage: () => ({
      holds: (lease, current) => lease.claim === current.claim && lease.claim % 7 !== 0,
    }),
  },
  {
    name: 'attempts that are not counted',
    noticedAs: 'attempts',
    sabotage: () => inStore(forgetAttempts),
  },
  { name: 'a job given twice', noticedAs: 'oneLease', sabotage: () => ({ store: giveTwice() }) },
  {
    name: 'an epoch given twice',
    noticedAs: 'epochsGrow',
    sabotage: () => ({ store: giveTwice() }),
  },
  {
    name: 'renewals that are answered and not made',
    noticedAs: 'oneLease',
    sabotage: () => inStore(renewNothing),
  },
  {
    name: 'a replay that returns nothing, then everything again',
    noticedAs: 'replay',
    sabotage: () => ({ store: replayOthers() }),
  },
  { name: 'a tick that fires twice', noticedAs: 'ticks', sabotage: () => inStore(fireTwice) },
  {
    name: 'gates that forget who came',
    noticedAs: 'followUps',
    sabotage: () => ({ dependants: forgetGates }),
    from: 24,
  },
  {
    name: 'gates that stand open',
    noticedAs: 'followUps',
    sabotage: () => ({ dependants: openGates }),
    from: 4,
  },
  {
    name: 'children made twice',
    noticedAs: 'followUps',
    sabotage: () => inStore(childrenTwice),
    from: 10,
  },
  {
    name: 'jobs that are promised and not kept',
    noticedAs: 'noJobLost',
    sabotage: () => inStore(loseJobs),
  },
  {
    name: 'keys that hold nothing back',
    noticedAs: 'keys',
    sabotage: () => ({ store: makeKeysUnique() }),
  },
  {
    name: 'requests to stop that are forgotten',
    noticedAs: 'agreement',
    sabotage: () => inStore(forgetCancels),
    from: 10,
  },
  {
    name: 'tenants without a limit',
    noticedAs: 'tenantQuota',
    sabotage: () => inStore(ignoreQuota),
    from: 8,
  },
  {
    name: 'paused kinds that run',
    noticedAs: 'claimRules',
    sabotage: () => inStore(ignorePauses),
    from: 6,
  },
  {
    name: 'delays that are not kept',
    noticedAs: 'agreement',
    sabotage: () => inStore(ignoreDelays),
  },
  {
    name: 'cursors that are not saved',
    noticedAs: 'agreement',
    sabotage: () => inStore(forgetCursors),
    from: 12,
  },
  {
    name: 'executions under the name of another worker',
    noticedAs: 'agreement',
    sabotage: () => inStore(misnameWorkers),
  },
  { name: 'results that are mixed up', noticedAs: 'results', sabotage: () => inStore(mixResults) },
  {
    name: 'jobs forgotten before their time',
    noticedAs: 'retention',
    sabotage: () => inStore(forgetEarly),
  },
  {
    name: 'a worker that believes it has renewed',
    noticedAs: 'selfFencing',
    sabotage: () => ({
      engineStore: (store) => ({
        ...store,
        renew: async ({ leases }) => leases.map(() => 'renewed'),
      }),
    }),
  },
  {
    name: 'a clock that runs too slow for the margin',
    noticedAs: 'selfFencing',
    sabotage: () => ({ skew: (skew) => ({ ...skew, rate: 0.7 }) }),
    from: 66,
  },
  {
    name: 'a worker deaf to hints',
    noticedAs: 'promptness',
    sabotage: () => ({ engineStore: (store) => ({ ...store, watch: () => () => {} }) }),
    from: 6,
  },
  {
    name: 'a worker that repeats no lost progress',
    noticedAs: 'progress',
    sabotage: () => ({ engineStore: dropProgress }),
    from: 9,
  },
  {
    name: 'a claim that asks for more than there is room',
    noticedAs: 'concurrency',
    sabotage: () => ({ engineStore: askForMore }),
  },
  {
    name: 'cancellation of what nobody cancelled',
    noticedAs: 'cancel',
    sabotage: () => ({ engineStore: cancelAtWill }),
  },
  {
    name: 'a chunk that is saved again after the next one',
    noticedAs: 'cursors',
    sabotage: () => ({ engineStore: repeatChunksLate() }),
    from: 12,
  },
  {
    name: 'a job that succeeded and starts over',
    noticedAs: 'transition',
    sabotage: () => inStore(retryAnything),
  },
  {
    name: 'a gate closed that nobody had come to',
    noticedAs: 'gates',
    sabotage: () => inStore(closeAnything),
  },
  {
    name: 'what is handed back at the end and never arrives',
    noticedAs: 'stopping',
    sabotage: () => ({ engineStore: dropHandBacks }),
    from: 261,
  },
];

/** Invariants without a sabotage, and why. */
export const UNPROVEN: Readonly<Partial<Record<Invariant, string>>> = {
  closing: 'It is the engine alone that closes handlers; the first seeds found it not to.',
  pausedWorker: 'It is the engine alone that holds claims back; the first seeds found it not to.',
  noRejection: 'The test runner itself fails on a rejection that nobody hears.',
  noLivelock: 'Tested with the clock.',
};

function inStore(change: (store: MemoryStore) => Partial<MemoryStore>): Sabotage {
  return { store: (store) => ({ ...store, ...change(store) }) };
}
