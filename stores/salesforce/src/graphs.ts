import { type SettleAnswer, StoreUnavailable } from '@millrace/engine';
import type { GraphAnswer, SalesforceError, Subrequest } from '@millrace/salesforce';
import { type Context, passes } from './context.ts';
import { filesOf, uploads } from './effects.ts';
import type { Ending } from './level.ts';
import { type Field, recordInGraph } from './names.ts';
import { selectByIds } from './select.ts';

/** How one level proves that the lease still holds: rows to insert first, and values of the record. */
export interface Proof {
  readonly first: readonly Subrequest[];
  readonly values: Partial<Record<Field, unknown>>;
  /** This error says that the lease is gone. */
  isStale(error: SalesforceError): boolean;
}

/**
 * One graph per document: proof, uploads, links, and the record that names them. All of it happens or none, and a
 * neighbour that fails takes nobody with it. The call may be sent again: what went through then says "already".
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
  );
  return readAnswers(context, endings, answers, proofs);
}

async function readAnswers(
  context: Context,
  endings: readonly Ending[],
  answers: readonly GraphAnswer[],
  proofs: readonly Proof[],
): Promise<SettleAnswer[]> {
  const failed = answers.map((answer) => (answer.ok ? null : answer.failed));
  const unknown = failed.find((error) => error !== null && passes(error) && !isOwnLimit(error));
  if (unknown !== undefined && unknown !== null)
    throw new StoreUnavailable(`Salesforce: ${unknown.message}`, { cause: unknown });
  const gone = endings.filter((_, index) => isGone(failed[index] ?? null, proofs[index]));
  const rows = await selectByIds(
    context,
    gone.map(({ recordId }) => recordId),
  );
  return endings.map((ending, index): SettleAnswer => {
    const error = failed[index] ?? null;
    if (error === null) return 'settled';
    if (!isGone(error, proofs[index])) return { refused: refusalOf(error) };
    return rows.get(ending.recordId)?.settledToken === ending.token ? 'already' : 'stale';
  });
}

/** Not of the calls, but of what this document needs, such as new files in a day. Nobody can wait here for tomorrow. */
function isOwnLimit({ kind, referenceId }: SalesforceError): boolean {
  return kind === 'limit' && referenceId !== null;
}

/** The lease is another's, or the record is no more. */
function isGone(error: SalesforceError | null, proof: Proof | undefined): boolean {
  if (error === null || proof === undefined) return false;
  const isDeleted = error.referenceId === 'record' && error.kind === 'notFound';
  return isDeleted || proof.isStale(error);
}

/** A full org may have room in a quarter of an hour; a parent that was deleted stays so. */
function refusalOf(error: SalesforceError): { code: string; message: string; retryable: boolean } {
  return {
    code: 'upload_failed',
    message: `Salesforce refused the document (${error.code}): ${error.message}`,
    retryable: error.kind === 'storage' || error.retryable,
  };
}
