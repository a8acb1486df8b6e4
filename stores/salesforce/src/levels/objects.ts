import type { RenewAnswer, SettleAnswer } from '@millrace/engine';
import { SalesforceError } from '@millrace/salesforce';
import { type Context, isTemporary } from '../context.ts';
import { createObjectsClaim } from './objects-claim.ts';
import { canceledValues, endingValues, erased, goesBack, timeText } from '../settling/ending.ts';
import { settleGraphs } from '../settling/graphs.ts';
import { ids18, tokenOf } from '../records/ids.ts';
import { type Ending, type Held, type Level, isOfTrigger } from './level.ts';
import { createMoves, dropEndRow, endRow, isTaken } from './moves.ts';
import type { Row } from '../records/row.ts';
import { selectByIds } from '../records/select.ts';

/**
 * Without Apex nothing in the org compares before it writes, but a unique key refuses the second of two. So every move
 * inserts a row of Docgen_Lease__c in its own transaction:
 *
 *     waiting or over, epoch e  ── <id>:<e>:next ──►  another epoch        (claim, cancel, retry by hand)
 *     running, epoch e          ── <id>:<e>:end  ──►  waiting or over      (settle, take-over)
 *     running, epoch e          ── <id>:<e>:end, and gone again  ──►  the same epoch  (renew)
 *
 * When two start from the same epoch, one gets DUPLICATE_VALUE and all that it did is rolled back.
 */
export function createObjectsLevel(context: Context): Level {
  const { salesforce } = context;
  const moves = createMoves(context);
  const claim = createObjectsClaim(context, moves);

  /**
   * A renewal takes the lease's end and gives it back in the same transaction: who comes after the end, or while it is
   * being written, changes nothing. Only what was begun is renewed, and a worker that begins has had the claim's answer:
   * without ClaimId__c the record says so.
   */
  async function renew(leases: readonly Held[], leaseMs: number): Promise<RenewAnswer[]> {
    const rows = await selectByIds(context, ids18(leases));
    const held = leases.map((lease) => heldRow(rows, lease));
    const until = timeText(salesforce.now() + leaseMs);
    const renewed = held.filter((row) => row !== null);
    const done = await moves.make(
      renewed.map((row) => ({
        row,
        first: [endRow(context, { recordId: row.id, epoch: row.epoch })],
        values: { lockedUntil: until, claimId: null },
        last: [dropEndRow(context)],
      })),
      { repeatable: true },
    );
    const locked = done.find((made) => made instanceof SalesforceError && isTemporary(made));
    if (locked !== undefined) throw locked;
    return held.map((row) => {
      if (row === null || done[renewed.indexOf(row)] !== 'made') return 'stale';
      return row.cancelRequested ? 'cancel' : 'renewed';
    });
  }

  /** The row that is read shows whether the lease holds; the end row makes sure that it still does. */
  async function settle(endings: readonly Ending[]): Promise<SettleAnswer[]> {
    const rows = await selectByIds(context, ids18(endings));
    const held = endings.filter((ending) => heldRow(rows, ending, ending.token) !== null);
    const isErased = ({ subject, recordId }: Ending): boolean =>
      subject !== null && rows.get(recordId)?.subject === null;
    const now = salesforce.now();
    const isToStop = ({ outcome, recordId }: Ending): boolean =>
      goesBack(outcome) && rows.get(recordId)?.cancelRequested === true;
    const settled = await settleGraphs(
      context,
      held.map((ending) => (isErased(ending) ? erased(ending) : ending)),
      (ending) => (isToStop(ending) ? canceledValues(now) : endingValues(ending, now)),
      (ending) => ({
        first: [endRow(context, ending)],
        values: { settledToken: ending.token, leaseToken: null, lockedUntil: null, claimId: null },
        isStale: isTaken,
        isOfOtherLevel: isOfTrigger,
      }),
    );
    const answers = new Map(
      held.map((ending, index): [Ending, SettleAnswer] => {
        const answer = settled[index] ?? 'stale';
        return [ending, answer === 'settled' && isToStop(ending) ? 'canceled' : answer];
      }),
    );
    return endings.map(
      (ending) =>
        answers.get(ending) ??
        (rows.get(ending.recordId)?.settledToken === ending.token ? 'already' : 'stale'),
    );
  }

  return {
    name: 'objects',
    claim,
    renew,
    settle,
    cancel: (recordIds) => moves.cancel(recordIds),
    retry: (recordIds) => moves.retry(recordIds),
  };
}

function heldRow(
  rows: ReadonlyMap<string, Row>,
  { recordId, epoch }: Held,
  token = tokenOf(recordId, epoch),
): Row | null {
  const row = rows.get(recordId);
  const holds = row?.status === 'PROCESSING' && row.epoch === epoch && row.leaseToken === token;
  return holds ? row : null;
}
