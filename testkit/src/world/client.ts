import {
  type ControlPart,
  type JobRequest,
  type Queue,
  type Store,
  StoreUnavailable,
  createEvents,
  createQueue,
  sleep,
} from '@millrace/engine';
import type { Registry } from '@millrace/engine';
import type { Action } from '../scenario/actions.ts';
import type { Violations } from '../observe/invariants.ts';
import type { JobRecord, Ledger } from '../observe/ledger.ts';
import type { Dice } from '../random.ts';
import type { Clock } from '@millrace/engine';

/** People, through the queue and a line as bad as the workers'. */
export interface Client {
  ask(request: JobRequest): Promise<void>;
  act(action: Action): Promise<void>;
  resumeAll(): Promise<void>;
  retryFailed(): Promise<void>;
  /** The work that is still going on. */
  pending(): number;
}

const AGAIN_AFTER_MS = 1_000;

export function createClient(params: {
  store: Store;
  control: ControlPart;
  registry: Registry;
  clock: Clock;
  ledger: Ledger;
  violations: Violations;
  dice: Dice;
}): Client {
  const { store, control, registry, clock, ledger, violations, dice } = params;
  const queue: Queue = createQueue({ store, registry, events: createEvents() });
  let pending = 0;

  /** With a key it is safe to ask again; without one, who does not know must not. */
  async function ask(request: JobRequest): Promise<void> {
    pending += 1;
    for (;;) {
      const { failOvers } = ledger;
      const answer = await answered(queue.enqueue(request));
      if (answer !== null) {
        violations.expect(
          ledger.jobs.has(answer.id) || ledger.failOvers > failOvers,
          'noJobLost',
          () => `${answer.id} was promised and is not there`,
        );
        break;
      }
      if (request.key === undefined) break;
      await sleep(clock, AGAIN_AFTER_MS);
    }
    pending -= 1;
  }

  async function act(action: Action): Promise<void> {
    pending += 1;
    await perform(action);
    pending -= 1;
  }

  async function perform(action: Action): Promise<void> {
    switch (action.type) {
      case 'cancel':
        await answered(queue.cancel(idsWhere(action.share, ['QUEUED', 'PROCESSING', 'FAILED'])));
        return;
      case 'retry':
        await answered(queue.retry(idsWhere(action.share, ['FAILED', 'CANCELED'])));
        return;
      case 'cancelThenRetry': {
        const ids = idsWhere(action.share, ['QUEUED', 'PROCESSING']);
        await answered(queue.cancel(ids));
        await sleep(clock, action.forMs);
        await answered(queue.retry(ids));
        return;
      }
      case 'cancelWhere':
        await answered(queue.cancelWhere({ kind: action.kind }));
        return;
      case 'retryWhere':
        await answered(queue.retryWhere({ kind: action.kind }));
        return;
      case 'erase':
        await answered(queue.erase(action.subject));
        return;
      case 'pauseKind':
        await answered(control.pause({ kind: action.kind, by: 'someone' }));
        await sleep(clock, action.forMs);
        await answered(control.resume({ kind: action.kind }));
        return;
      default:
    }
  }

  function idsWhere(share: number, states: readonly JobRecord['state'][]): string[] {
    const jobs = [...ledger.jobs.values()].filter((record) => states.includes(record.state));
    return dice.some(jobs, share).map(({ id }) => id);
  }

  return {
    ask,
    act,
    async resumeAll() {
      for (const kind of ledger.pausedKinds) await answered(control.resume({ kind }));
    },
    async retryFailed() {
      await answered(queue.retryWhere({ state: 'FAILED' }));
    },
    pending: () => pending,
  };
}

/** Null when the store did not answer: the write may have happened or not. */
async function answered<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}
