import type { SettleAnswer } from '@millrace/engine';
import { SalesforceError } from '@millrace/salesforce';
import { type Context, isTemporary, unavailable } from '../context.ts';
import { endingValues } from '../settling/ending.ts';
import { settleGraphs } from '../settling/graphs.ts';
import { type ApexCall, AT_ONCE, correlationOf, type Ending, type Level } from './level.ts';

/** The start of the trigger's message when the subject of the document was erased while it was made. */
const ERASED = 'ERASED:';

/** Documents with files in one transaction each, all else by the package's endpoint in groups. */
export function createApexSettle(context: Context, call: ApexCall): Level['settle'] {
  return async (endings) => {
    const answers = new Map<Ending, SettleAnswer>();
    const keep = (of: readonly Ending[], given: readonly SettleAnswer[]): void =>
      of.forEach((ending, index) => answers.set(ending, given[index] ?? 'stale'));
    const withFiles = endings.filter(hasFiles);
    if (withFiles.length > 0) keep(withFiles, await settleFiles(context, withFiles));
    const isOfErased = (ending: Ending): boolean => {
      const answer = answers.get(ending);
      return (
        typeof answer === 'object' && 'refused' in answer && answer.refused.message.includes(ERASED)
      );
    };
    // The files of an erased document are not uploaded; the endpoint empties the rest.
    const rest = endings.filter((ending) => !hasFiles(ending) || isOfErased(ending));
    for (const group of groupsByText(rest)) keep(group, await complete(call, group));
    return endings.map((ending) => answers.get(ending) ?? 'stale');
  };
}

/** Settles one group. A failed call becomes an answer for its own endings only: the other groups have theirs. */
async function complete(
  call: ApexCall,
  group: readonly Ending[],
): Promise<readonly SettleAnswer[]> {
  const body = { outcomes: group.map(outcomeOf) };
  try {
    const options = { repeatable: true, correlationId: correlationOf(group) };
    return (await call<{ answers: SettleAnswer[] }>('complete', body, options)).answers;
  } catch (error) {
    if (!(error instanceof SalesforceError) || !isTemporary(error)) throw error;
    return group.map(() => ({ unknown: unavailable(error) }));
  }
}

function settleFiles(context: Context, endings: readonly Ending[]): Promise<SettleAnswer[]> {
  const now = context.salesforce.now();
  return settleGraphs(
    context,
    endings,
    (ending) => endingValues(ending, now),
    ({ token, subject }) => ({
      first: [],
      // The trigger compares the subject: a document about someone who was erased meanwhile is not stored.
      values: { presentedToken: token, ...(subject !== null && { subject }) },
      isStale: ({ message }) => message.includes('STALE_LEASE'),
    }),
  );
}

function hasFiles({ outcome }: Ending): boolean {
  return outcome.move === 'succeed' && outcome.effects.length > 0;
}

function outcomeOf({ recordId, token, subject, outcome }: Ending): object {
  return {
    id: recordId,
    token,
    subject,
    move: outcome.move,
    ...(outcome.move === 'succeed' && {
      result: outcome.result,
      clearRequest: outcome.purgePayload,
    }),
    ...((outcome.move === 'fail' || outcome.move === 'retry') && {
      errorCode: outcome.error.code,
      error: outcome.error.message,
    }),
    ...((outcome.move === 'retry' || outcome.move === 'defer') && {
      delaySeconds: Math.ceil(outcome.delayMs / 1_000),
    }),
    ...(outcome.move === 'defer' && outcome.payload !== null && { requestJson: outcome.payload }),
  };
}

/** Apex has 6 MB for the body and all that it makes of it. */
const TEXT_AT_ONCE = 500_000;

function groupsByText(endings: readonly Ending[]): Ending[][] {
  const groups: Ending[][] = [];
  let length = Infinity;
  for (const ending of endings) {
    const more = JSON.stringify(outcomeOf(ending)).length;
    const current = groups.at(-1);
    if (current === undefined || current.length >= AT_ONCE || length + more > TEXT_AT_ONCE) {
      groups.push([ending]);
      length = more;
    } else {
      current.push(ending);
      length += more;
    }
  }
  return groups;
}
