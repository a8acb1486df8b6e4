/** Rules that always hold, whatever the network, the clocks and the processes do. */
export const INVARIANTS = {
  agreement: 'The store holds of every job what follows from the writes it accepted.',
  transition: 'A job moves only as the transition table says.',
  noJobLost: 'Every job that was accepted comes to an end.',
  oneLease: 'No job is given away while someone else has a lease on it.',
  epochsGrow: 'Each lease of a job has a higher epoch than all before it.',
  staleWrite: 'A write by a lease that is not in force changes nothing and is answered as stale.',
  refusedWrite:
    'A write by the lease in force is accepted; one repeated after its settling is "already".',
  workerLost:
    'A job ends worker_lost when it was begun alone on a worker that was lost, with no attempt left, and only then.',
  innocence: 'No job ends worker_lost for what another did to their worker.',
  alone: 'A suspect never runs beside another execution on its worker.',
  erasure: 'Nothing of an erased job is kept, nor comes again.',
  replay: 'A replayed claim returns what that claim was given and still has, and nothing else.',
  attempts:
    'No job is executed more often than its policy says, and none fails with attempts left.',
  claimRules:
    'Only due jobs of wanted, unpaused kinds are given, within the limits, first things first.',
  cancel: 'A job asked to stop never starts again; a job nobody asked to stop is not cancelled.',
  cursors: 'A saved cursor never goes back: no chunk is done and saved twice.',
  tenantQuota: 'No tenant has more jobs of a kind running than its quota.',
  keys: 'A key belongs to one live job, and to one that succeeded until its window is over.',
  followUps:
    'What follows from a job (children, dependants, cleanup, webhook) exists exactly once.',
  ticks: 'A tick of a schedule runs at most once, and none is forgotten that its policy wants.',
  gates: 'A gate is closed only when its time is over, with the parents that came.',
  retention: 'Only jobs that ended, and whose time is over, are forgotten.',
  selfFencing: 'A handler does nothing after its lease has ended unless it was asked to stop.',
  concurrency: 'No more handlers run than the worker, its pool and their kind allow.',
  results: 'A job that succeeded has the result of the execution that settled it.',
  progress: 'The last progress a handler reported is saved soon, and again when saving failed.',
  pausedWorker: 'A worker that was asked to pause makes no new claim.',
  promptness: 'No worker with room for a job leaves it lying for long.',
  stopping: 'A worker that has stopped holds no lease, and stops within its time.',
  closing:
    'A chunked handler that will not be asked for more is closed, so that its finally blocks run.',
  noRejection: 'No promise is rejected unheard.',
  noLivelock: 'Nothing turns in circles without letting time pass.',
} as const;

export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  readonly invariant: Invariant;
  /** Seconds from the start of the simulation. */
  readonly at: number;
  readonly what: string;
}

export interface Violations {
  readonly all: readonly Violation[];
  add(invariant: Invariant, what: string): void;
  /** Adds it unless it holds. */
  expect(holds: boolean, invariant: Invariant, what: () => string): void;
}

export function describeViolation({ invariant, at, what }: Violation): string {
  return `${invariant} at ${at.toFixed(3)} s: ${what}`;
}

/** After the first few, the rest of a run only says the same again. */
const ENOUGH = 20;

export function createViolations(params: {
  now: () => number;
  onAdd: (violation: Violation) => void;
}): Violations {
  const { now, onAdd } = params;
  const all: Violation[] = [];

  function add(invariant: Invariant, what: string): void {
    if (all.length >= ENOUGH) return;
    const violation = { invariant, at: now() / 1_000, what };
    all.push(violation);
    onAdd(violation);
  }

  return {
    all,
    add,
    expect(holds, invariant, what) {
      if (!holds) add(invariant, what());
    },
  };
}
