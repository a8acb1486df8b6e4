import {
  type FailureRecord,
  MillraceError,
  type NewJob,
  type SettleAnswer,
  type SettledOutcome,
  type Settlement,
  StoreUnavailable,
  refuseUnstorableOutcome,
} from '@millrace/engine';
import { type Context, jsonPartsOf, list, script } from '../context.ts';
import { type Spec, specOf } from '../fields.ts';
import { FREEING } from '../lua/base.ts';
import { ENDING } from '../lua/ending.ts';
import { MAKING } from '../lua/making.ts';
import { WAITING } from '../lua/waiting.ts';
import { leaseArguments } from './renew.ts';

/**
 * ARGV[1]: settlements as [number, epoch, claim, outcome, children]. Outcome: its move and what `Outcome` says below.
 * A job that was erased while it ran keeps nothing of what its worker brings, and gets no children.
 */
const SETTLE = script(
  WAITING,
  ENDING,
  MAKING,
  /* lua */ `
local function again(job, outcome, attempt, failure)
  if job.cancelRequested then
    keepExecution(job, 'canceled', failure)
    cancelJob(job)
    return 'canceled'
  end
  putBack(job, attempt, now + tonumber(outcome.delayMs or 0))
  return 'settled'
end

local MOVES = {}

function MOVES.succeed(job, outcome)
  keepExecution(job, 'succeeded')
  forgetFailure(job)
  if outcome.purge then call('HDEL', job.key, 'data') end
  succeed(job, outcome.result)
  return 'settled'
end

function MOVES.fail(job, outcome)
  keepExecution(job, 'failed', outcome)
  fail(job, outcome)
  return 'settled'
end

function MOVES.cancel(job)
  keepExecution(job, 'canceled')
  cancelJob(job)
  return 'settled'
end

function MOVES.retry(job, outcome)
  if not job.cancelRequested then
    keepExecution(job, 'retried', outcome)
    keepFailure(job, outcome)
    clearSuspect(job)
  end
  return again(job, outcome, tonumber(job.attempt), outcome)
end

function MOVES.defer(job, outcome)
  if not job.cancelRequested then
    forgetFailure(job)
    clearSuspect(job)
    if outcome.payload and not job.erased then call('HSET', job.key, 'data', outcome.payload) end
  end
  return again(job, outcome, tonumber(job.attempt) - 1)
end

function MOVES.handBack(job, outcome)
  return again(job, outcome, tonumber(job.attempt) - 1)
end

local function settle(job, epoch, claim, outcome, children)
  if not job then return 'stale' end
  load(job, HELD)
  if not holds(job, epoch, claim) then
    return (job.settledEpoch == epoch and job.settledClaim == claim) and 'already' or 'stale'
  end
  release(job)
  call('HSET', job.key, 'settledEpoch', epoch, 'settledClaim', claim)
  local answer = MOVES[outcome.move](job, outcome)
  if answer == 'settled' and not job.erased then
    for _, child in ipairs(children) do make(child) end
  end
  return answer
end

local answers, numbers, settlements = {}, {}, cjson.decode(ARGV[1])
for index, settlement in ipairs(settlements) do
  numbers[index] = settlement[1]
  demandSoundFor(settlement[5])
end
local jobs = findSound(numbers)
${FREEING}
for index, settlement in ipairs(settlements) do
  answers[index] = settle(jobs[index], unpack(settlement, 2))
end
publish()
return answers
`,
);

/** What a script takes of an outcome: texts, and nothing where there is nothing. */
type Outcome = Readonly<Partial<Record<string, string>>>;

/** All outcomes are checked before the first is written. */
export async function settle(
  context: Context,
  { settlements }: { readonly settlements: readonly Settlement[] },
): Promise<SettleAnswer[]> {
  const items = settlements.map((settlement) => [
    ...leaseArguments(settlement.job),
    outcomeOf(settlement.outcome),
    specsOf(settlement.children),
  ]);
  const answers: SettleAnswer[] = [];
  for (const part of jsonPartsOf(items)) {
    try {
      const reply = await context.write(SETTLE, part);
      await context.confirm();
      answers.push(...(list(reply) as SettleAnswer[]));
    } catch (error) {
      // Of the parts before there are answers: only this one and those after it are asked about again.
      if (!(error instanceof StoreUnavailable) || answers.length === 0) throw error;
      return settlements.map((_, index) => answers[index] ?? { unknown: error });
    }
  }
  return answers;
}

function specsOf(children: readonly NewJob[]): Spec[] {
  return children.map(specOf);
}

function outcomeOf(outcome: SettledOutcome): Outcome {
  refuseUnstorableOutcome(outcome);
  const { move } = outcome;
  switch (move) {
    case 'succeed':
      if (outcome.effects.length > 0) throw cannotCommitEffects();
      return { move, result: outcome.result, ...(outcome.purgePayload && { purge: '1' }) };
    case 'fail':
      return { move, ...failureOf(outcome.error, outcome.stack) };
    case 'retry':
      return {
        move,
        delayMs: String(outcome.delayMs),
        ...failureOf(outcome.error, outcome.stack),
      };
    case 'defer':
      return {
        move,
        delayMs: String(outcome.delayMs),
        ...(outcome.payload !== null && { payload: outcome.payload }),
      };
    default:
      return { move };
  }
}

function failureOf({ code, message, retryable }: FailureRecord, stack: string | null): Outcome {
  return {
    code,
    message,
    retryable: retryable ? '1' : '0',
    ...(stack !== null && { stack: wellFormed(stack) }),
  };
}

/** Half of a pair of surrogates, where a text was cut, is a JSON that Redis does not read. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function cannotCommitEffects(): MillraceError {
  return new MillraceError(
    'unsupported_by_store',
    'Redis cannot commit effects: perform them before the handler returns.',
  );
}
