import type { SettleAnswer } from '@millrace/engine';
import { type GraphAnswer, SalesforceError, type Subrequest } from '@millrace/salesforce';
import { type Context, isTemporary, unavailable } from '../context.ts';
import { filesOf, uploads } from './effects.ts';
import { ids18 } from '../records/ids.ts';
import { ApexAppeared, type Ending, correlationOf } from '../levels/level.ts';
import type { Field } from '../records/fields.ts';
import { recordInGraph } from '../records/names.ts';
import type { Row } from '../records/row.ts';
import { selectByIds } from '../records/select.ts';

/** How one level proves that the lease still holds: rows to insert first, and values of the record. */
export interface Proof {
  readonly first: readonly Subrequest[];
  readonly values: Partial<Record<Field, unknown>>;
  /** Whether this error says that the lease is gone. */
  isStale(error: SalesforceError): boolean;
  /** Whether this error says that the org no longer has what the level needs (Apex was deployed or removed). */
  isOfOtherLevel?(error: SalesforceError): boolean;
}

/**
 * One graph per document: proof, uploads, links, and the record that names them. All of it happens or none, and a
 * neighbour that fails takes nobody with it. A graph may be sent again: one that went through then says "already".
 */
export async function settleGraphs(
  context: Context,
  endings: readonly Ending[],
  values: (ending: Ending) => Partial<Record<Field, unknown>>,
  proof: (ending: Ending) => Proof,
): Promise<SettleAnswer[]> {
  const proofs = endings.map(proof);
  const answers = await context.salesforce.graphs(
    endings.map((ending, index) => {
      const { outcome, recordId } = ending;
      const { first = [], values: shown = {} } = proofs[index] ?? {};
      const effects = outcome.move === 'succeed' ? filesOf(outcome.effects) : [];
      return [
        ...first,
        ...uploads(effects),
        {
          method: 'PATCH',
          url: `sobjects/${context.names.document}/${recordId}`,
          referenceId: 'record',
          body: recordInGraph(context.names, { ...values(ending), ...shown }),
        } satisfies Subrequest,
      ];
    }),
    { correlationId: correlationOf(endings) },
  );
  return readAnswers(context, endings, answers, proofs);
}

/**
 * A graph whose answer was lost was most likely done: its record says so, which costs one query for all of them and
 * spares a second upload. What stays unknown is asked for again, alone.
 */
async function readAnswers(
  context: Context,
  endings: readonly Ending[],
  answers: readonly GraphAnswer[],
  proofs: readonly Proof[],
): Promise<SettleAnswer[]> {
  const strange = answers.find(
    (answer, index) => !answer.ok && proofs[index]?.isOfOtherLevel?.(answer.failed) === true,
  );
  if (strange?.ok === false) throw new ApexAppeared(strange.failed);
  const fates = answers.map((answer, index) => fateOf(answer, proofs[index]));
  const toRead = endings.filter((_, index) => {
    const fate = fates[index];
    return fate?.is === 'gone' || (fate?.is === 'unknown' && fate.error.outcome === 'unknown');
  });
  const rows = await rowsOrError(context, toRead);
  return endings.map((ending, index): SettleAnswer => {
    const fate = fates[index];
    if (fate === undefined || fate.is === 'done') return 'settled';
    const { error } = fate;
    if (fate.is === 'refused') return { refused: refusalOf(error) };
    const isRead = toRead.includes(ending);
    if (isRead && rows instanceof SalesforceError) return { unknown: unavailable(rows) };
    const isOurs = rows instanceof Map && rows.get(ending.recordId)?.settledToken === ending.token;
    if (fate.is === 'gone') return isOurs ? 'already' : 'stale';
    return isOurs ? 'settled' : { unknown: unavailable(error) };
  });
}

type Fate =
  | { readonly is: 'done' }
  /** The lease is another's, or the record is no more; or this very lease settled it before. */
  | { readonly is: 'gone'; readonly error: SalesforceError }
  | { readonly is: 'unknown'; readonly error: SalesforceError }
  | { readonly is: 'refused'; readonly error: SalesforceError };

function fateOf(answer: GraphAnswer, proof: Proof | undefined): Fate {
  if (answer.ok) return { is: 'done' };
  const error = answer.failed;
  const isDeleted = error.referenceId === 'record' && error.kind === 'notFound';
  if (isDeleted || proof?.isStale(error) === true) return { is: 'gone', error };
  return { is: isTemporary(error) && !isOwnLimit(error) ? 'unknown' : 'refused', error };
}

async function rowsOrError(
  context: Context,
  endings: readonly Ending[],
): Promise<Map<string, Row> | SalesforceError> {
  try {
    return await selectByIds(context, ids18(endings));
  } catch (error) {
    if (error instanceof SalesforceError && isTemporary(error)) return error;
    throw error;
  }
}

/**
 * A limit of what this document needs, such as new files in a day, and not of API calls: waiting here would be till
 * tomorrow, so the document fails.
 */
function isOwnLimit({ kind, referenceId }: SalesforceError): boolean {
  return kind === 'limit' && referenceId !== null;
}

/**
 * A full org has room again once somebody deletes files or buys storage, so that it has a code of its own, by which all of
 * them can be found and tried again; a parent that was deleted stays so.
 */
function refusalOf(error: SalesforceError): { code: string; message: string; retryable: boolean } {
  if (error.kind === 'storage') {
    const message = `The org has no room for the file (${error.code}). Make room, then try again. ${error.message}`;
    return { code: 'storage_full', message, retryable: true };
  }
  return {
    code: 'upload_failed',
    message: `Salesforce refused the document (${error.code}): ${error.message}`,
    retryable: error.retryable,
  };
}
