/** Somebody else has the lock now. */
export class Blocked extends Error {
  readonly lock: string;

  constructor(lock: string) {
    super(`The lock ${lock} is not free.`);
    this.lock = lock;
  }
}
