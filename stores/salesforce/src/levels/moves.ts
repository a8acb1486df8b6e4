import { canMove } from '@millrace/engine';
import { SalesforceError, type Subrequest, type WriteOptions } from '@millrace/salesforce';
import { type Context, isTemporary } from '../context.ts';
import { canceledValues } from '../settling/ending.ts';
import { ApexAppeared, type Held, inGroups, isOfTrigger } from './level.ts';
import type { Field } from '../records/fields.ts';
import { recordInGraph } from '../records/names.ts';
import type { Row } from '../records/row.ts';
import { selectByIds } from '../records/select.ts';
import { updateRows } from '../records/update.ts';

/** Whether someone else inserted the same key first, and so made the move. */
export function isTaken({ kind, referenceId }: SalesforceError): boolean {
  return kind === 'duplicate' && (referenceId === 'next' || referenceId === 'end');
}

export function endRow(context: Context, { recordId, epoch }: Held): Subrequest {
  return leaseRow(context, 'end', `${recordId}:${epoch}:end`);
}

/** Deletes the end row that the same graph has inserted: a renewal proves the lease with it and does not end it. */
export function dropEndRow({ names }: Context): Subrequest {
  return { method: 'DELETE', url: `sobjects/${names.lease}/@{end.id}`, referenceId: 'drop' };
}

function leaseRow({ names }: Context, referenceId: 'next' | 'end', key: string): Subrequest {
  return {
    method: 'POST',
    url: `sobjects/${names.lease}`,
    referenceId,
    body: { [names.leaseKey]: key },
  };
}

/**
 * Rows for taking a waiting record. A token that is still on it means that someone moved it by hand while its worker
 * runs: the end of that lease is taken too, so that the worker is refused.
 */
export function nextRows(context: Context, row: Row): Subrequest[] {
  const next = leaseRow(context, 'next', `${row.id}:${row.epoch}:next`);
  if (row.leaseToken === null) return [next];
  return [next, endRow(context, { recordId: row.id, epoch: row.epoch })];
}

/**
 * The next epoch: the org's clock in milliseconds, and at least one more than the last, so that it grows even where
 * somebody set Epoch__c back.
 */
export function nextEpoch({ salesforce }: Context, row: Row): number {
  return Math.max(row.epoch + 1, salesforce.now());
}

export interface Move {
  readonly row: Row;
  /**
   * Rows with unique keys, inserted first: of several who try the same move, all but one fail here and change
   * nothing.
   */
  readonly first: readonly Subrequest[];
  readonly values: Partial<Record<Field, unknown>>;
  readonly last?: readonly Subrequest[];
}

/** Rows of the leases are kept a day: no worker is silent for so long and then writes. */
const FORGET_AFTER_DAYS = 1;
const FORGET_EVERY_MS = 3_600_000;
/** While there are more: an org that makes a hundred thousand documents a day leaves twice as many rows. */
const FORGET_AGAIN_MS = 60_000;
const FORGET_AT_ONCE = 1_000;
const ROUNDS = 10;

/** An error: nothing was done, for someone holds this record, or a rule of the org or an approval does not let it be changed. */
export type Made = 'made' | 'taken' | SalesforceError;

type MoveOptions = Pick<WriteOptions, 'repeatable' | 'correlationId'>;

export interface Moves {
  /** Makes each move in its own transaction. Moves of a `repeatable` call may be made twice. */
  make(moves: readonly Move[], options?: MoveOptions): Promise<Made[]>;
  cancel(recordIds: readonly string[]): Promise<{ canceled: string[]; requested: string[] }>;
  retry(recordIds: readonly string[]): Promise<string[]>;
  forgetOldLeases(): Promise<void>;
}

export function createMoves(context: Context): Moves {
  const { salesforce, names } = context;
  let forgetAt = -Infinity;

  async function make(moves: readonly Move[], options: MoveOptions = {}): Promise<Made[]> {
    if (moves.length === 0) return [];
    const answers = await salesforce.graphs(
      moves.map(({ row, first, values, last = [] }) => [
        ...first,
        {
          method: 'PATCH',
          url: `sobjects/${names.document}/${row.id}`,
          referenceId: 'record',
          body: recordInGraph(names, values),
        } satisfies Subrequest,
        ...last,
      ]),
      options,
    );
    return answers.map((answer) => {
      if (answer.ok) return 'made';
      const { failed } = answer;
      if (isOfTrigger(failed)) throw new ApexAppeared(failed);
      if (isTemporary(failed) && failed.kind !== 'lock') throw failed;
      return isTaken(failed) || failed.kind === 'notFound' ? 'taken' : failed;
    });
  }

  /** Reads, moves what may be moved, and looks again at what someone else moved meanwhile. */
  async function byHand(
    recordIds: readonly string[],
    valuesFor: (row: Row) => Partial<Record<Field, unknown>> | null,
  ): Promise<string[]> {
    const moved: string[] = [];
    let left = [...recordIds];
    for (let round = 0; round < ROUNDS && left.length > 0; round += 1) {
      const rows = [...(await selectByIds(context, left)).values()];
      const tried = rows.flatMap((row) => {
        const values = valuesFor(row);
        return values === null ? [] : [{ row, values }];
      });
      const done = await make(
        tried.map(({ row, values }) => ({
          row,
          first: nextRows(context, row),
          values: { ...values, epoch: nextEpoch(context, row), leaseToken: null },
        })),
      );
      const held = done.find((made) => made instanceof SalesforceError && isTemporary(made));
      if (held !== undefined) throw held;
      moved.push(...tried.filter((_, index) => done[index] === 'made').map(({ row }) => row.id));
      left = tried.filter((_, index) => done[index] === 'taken').map(({ row }) => row.id);
    }
    return moved;
  }

  async function cancel(
    recordIds: readonly string[],
  ): Promise<{ canceled: string[]; requested: string[] }> {
    const canceled = await byHand(recordIds, ({ status }) =>
      status !== 'PROCESSING' && canMove(status, 'cancel')
        ? canceledValues(salesforce.now())
        : null,
    );
    const rest = recordIds.filter((id) => !canceled.includes(id));
    const running = [...(await selectByIds(context, rest)).values()]
      .filter(({ status }) => status === 'PROCESSING')
      .map(({ id }) => id);
    // Should it go back to the queue in this very moment, the next claim sees the request and ends it.
    const asked = await updateRows(
      context,
      running.map((id) => ({ id, values: { cancelRequested: true } })),
    );
    return { canceled, requested: running.filter((_, index) => asked[index]) };
  }

  return {
    make,
    cancel,
    retry: (recordIds) =>
      byHand(recordIds, ({ status }) =>
        canMove(status, 'requeue')
          ? {
              status: 'QUEUED',
              attempts: 0,
              due: null,
              error: null,
              errorCode: null,
              result: null,
              finishedAt: null,
              cancelRequested: false,
              suspect: false,
            }
          : null,
      ),
    async forgetOldLeases() {
      if (salesforce.now() < forgetAt) return;
      forgetAt = salesforce.now() + FORGET_EVERY_MS;
      const old = await salesforce.query<{ Id: string }>(
        `SELECT Id FROM ${names.lease} WHERE CreatedDate < LAST_N_DAYS:${FORGET_AFTER_DAYS} LIMIT ${FORGET_AT_ONCE}`,
      );
      for (const group of inGroups(old, 200))
        await salesforce.collections.remove(group.map(({ Id }) => Id));
      if (old.length === FORGET_AT_ONCE) forgetAt = salesforce.now() + FORGET_AGAIN_MS;
    },
  };
}
