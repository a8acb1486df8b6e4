import type { Clock } from '@millrace/simulator-kit';
import { ApiError } from '../errors.ts';

/**
 * Who changes a row, or puts a value in a unique field, keeps it locked until the transaction ends.
 * Others queue up in the order they came. They wait 10 s at most; two that wait for each other do not
 * wait at all, for the database sees it.
 */
export interface Locks {
  acquire(owner: Owner, name: string): Promise<void>;
  /** Whether it could be had without waiting. */
  acquireAtOnce(owner: Owner, name: string): boolean;
  releaseAll(owner: Owner): void;
  holds(owner: Owner, name: string): boolean;
  /** How many are waiting now. Tests wait for this, not for time. */
  readonly waiting: number;
}

/** A transaction. Only its identity matters here. */
type Owner = object;

interface Waiter {
  readonly owner: Owner;
  grant(): void;
}

interface Lock {
  holder: Owner;
  readonly queue: Waiter[];
}

export function unableToLock(): ApiError {
  return new ApiError(
    'UNABLE_TO_LOCK_ROW',
    'unable to obtain exclusive access to this record or 1 records',
    { fields: [] },
  );
}

export function createLocks(clock: Clock, waitMs: number): Locks {
  const locks = new Map<string, Lock>();
  const held = new Map<Owner, Set<string>>();
  const waitingFor = new Map<Owner, Lock>();

  function take(owner: Owner, name: string): void {
    const names = held.get(owner) ?? new Set();
    held.set(owner, names.add(name));
  }

  function isDeadlock(owner: Owner, lock: Lock): boolean {
    let next: Lock | undefined = lock;
    while (next !== undefined) {
      if (next.holder === owner) return true;
      next = waitingFor.get(next.holder);
    }
    return false;
  }

  function wait(owner: Owner, name: string, lock: Lock): Promise<void> {
    waitingFor.set(owner, lock);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        owner,
        grant() {
          cancel();
          waitingFor.delete(owner);
          lock.holder = owner;
          take(owner, name);
          resolve();
        },
      };
      const cancel = clock.after(waitMs, () => {
        waitingFor.delete(owner);
        lock.queue.splice(lock.queue.indexOf(waiter), 1);
        reject(unableToLock());
      });
      lock.queue.push(waiter);
    });
  }

  function acquireAtOnce(owner: Owner, name: string): boolean {
    const lock = locks.get(name);
    if (lock !== undefined) return lock.holder === owner;
    locks.set(name, { holder: owner, queue: [] });
    take(owner, name);
    return true;
  }

  return {
    async acquire(owner, name) {
      const lock = locks.get(name);
      if (acquireAtOnce(owner, name) || lock === undefined) return;
      if (isDeadlock(owner, lock)) throw unableToLock();
      await wait(owner, name, lock);
    },
    acquireAtOnce,
    releaseAll(owner) {
      for (const name of held.get(owner) ?? []) {
        const lock = locks.get(name);
        const next = lock?.queue.shift();
        if (next === undefined) locks.delete(name);
        else next.grant();
      }
      held.delete(owner);
    },
    holds: (owner, name) => locks.get(name)?.holder === owner,
    get waiting() {
      return waitingFor.size;
    },
  };
}

/** Somebody else has the lock now. */
export class Blocked extends Error {
  readonly lock: string;

  constructor(lock: string) {
    super(`The lock ${lock} is not free.`);
    this.lock = lock;
  }
}
