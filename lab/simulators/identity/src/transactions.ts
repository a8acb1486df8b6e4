import type { Answer } from '@millrace/simulator-kit';
import { createBoundedMap } from './bounded-map.ts';
import { randomSecret } from './identifiers.ts';
import type { Client, User } from './options.ts';

/**
 * A sign-in page that someone has open. What was asked for stays here: the form carries the name of
 * the transaction and nothing else that could be changed.
 */
export interface Transaction {
  readonly client: Client;
  readonly userCode: string | null;
  readonly returnsTo: string | null;
  accept(user: User): Answer;
  refuse(): Answer;
}

export interface Transactions {
  open(transaction: Transaction): string;
  find(id: string): Transaction | undefined;
  close(id: string): void;
}

export function createTransactions(now: () => number): Transactions {
  const open = createBoundedMap<Transaction>({ most: 1_000, lifetimeMs: 600_000, now });
  return {
    open(transaction) {
      const id = randomSecret();
      open.set(id, transaction);
      return id;
    },
    find: (id) => open.get(id),
    close: (id) => open.delete(id),
  };
}
