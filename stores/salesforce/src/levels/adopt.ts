import { STATES, StoreUnavailable, isFinished } from '@millrace/engine';
import { SalesforceError, soqlTime } from '@millrace/salesforce';
import { type Context, isTemporary } from '../context.ts';
import type { Level } from './level.ts';
import { LIVE } from '../records/names.ts';
import { soql, texts } from '../records/select.ts';
import { updateRows } from '../records/update.ts';

/** How long a record that someone moved by hand, in an org without the trigger, may go unseen. */
const EVERY_MS = 300_000;
/** Overlap of two looks: SystemModstamp is the moment of the write, so a record committed later would be missed. */
const MARGIN_MS = 120_000;
const AT_ONCE = 200;
const UNFINISHED = STATES.filter((state) => !isFinished(state));

/**
 * Work is found by Live__c. Two sorts of records that are live lack it: those of before the field was there, and those that
 * someone put back by hand where no trigger sets it. The first are looked for once, at the start of a process, over all
 * records; the second every 5 minutes, among what was changed since (SystemModstamp has an index). See
 * docs/decisions/0013-salesforce-live-rows.md.
 */
export function createAdoption(context: Context): (level: Level['name']) => Promise<void> {
  const { salesforce, names } = context;
  const { field } = names;
  let lookedAt: number | null = null;

  async function look(): Promise<void> {
    const now = salesforce.now();
    const where = [
      `${field.live} = null`,
      `${field.status} IN (${texts(UNFINISHED)})`,
      ...(lookedAt === null ? [] : [`SystemModstamp >= ${soqlTime(lookedAt - MARGIN_MS)}`]),
    ].join(' AND ');
    const found = await salesforce.query<{ Id: string }>(
      soql('Id', context, where, { limit: AT_ONCE }),
    );
    await updateRows(
      context,
      found.map(({ Id: id }) => ({ id, values: { live: LIVE } })),
    );
    if (found.length < AT_ONCE) lookedAt = now;
  }

  return async (level) => {
    const isDone =
      lookedAt !== null && (level === 'apex' || salesforce.now() - lookedAt < EVERY_MS);
    if (isDone) return;
    try {
      await look();
    } catch (error) {
      // A temporary failure is ignored: records with Live__c are found without this, and the next claim looks
      // again.
      const isExpected = error instanceof SalesforceError && isTemporary(error);
      if (!isExpected && !(error instanceof StoreUnavailable)) throw error;
    }
  };
}
