import {
  type FailureRecord,
  MillraceError,
  type SettleAnswer,
  type SettledOutcome,
  type Settlement,
  StoreUnavailable,
  refuseUnstorableOutcome,
} from '@millrace/engine';
import { type Context, list, partsBySize, script } from '../context.ts';
import { specOf } from '../fields.ts';
import { FREEING } from '../lua/base.ts';
import { ENDING } from '../lua/ending.ts';
import { MAKING } from '../lua/making.ts';
import { WAITING } from '../lua/waiting.ts';
import { queueOf } from '../names.ts';
import { leaseArguments } from './renew.ts';

/**
 * ARGV: for each settlement its queue, number, lease, move, what the move takes (a result as it is, or an `Outcome` below as
 * JSON), and children as JSON or ''. A job that was erased while it ran keeps nothing of what its worker brings, and gets no children.
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
  return again(job, outcome, tonumber(job.ats), outcome)
end

function MOVES.defer(job, outcome)
  if not job.cancelRequested then
    forgetFailure(job)
    clearSuspect(job)
    if outcome.payload and not job.erased then call('HSET', job.key, 'data', outcome.payload) end
  end
  return again(job, outcome, tonumber(job.ats) - 1)
end

function MOVES.handBack(job, outcome)
  return again(job, outcome, tonumber(job.ats) - 1)
end

local function moved(job, move, outcome)
  if move == 'purge' then call('HDEL', job.key, 'data') end
  if move == 'succeed' or move == 'purge' then
    succeed(job, outcome)
    return 'settled'
  end
  return MOVES[move](load(job, REST), cjson.decode(outcome))
end

-- One that an app added with BullMQ has a name of its own.
local function findHeld(queue, number)
  local job = load(named(queue, 'bull-' .. number), HELD)
  if job.number == number then return job end
  job = find(number)
  return job and load(job, HELD)
end

local function settle(queue, number, lease, move, outcome, children)
  local job = findHeld(queue, number)
  if not job then return 'stale' end
  if not holds(job, lease) then return isSettled(job, lease) and 'already' or 'stale' end
  release(job)
  local answer = moved(job, move, outcome)
  if children ~= '' and answer == 'settled' and not job.erased then makeAll(cjson.decode(children)) end
  return answer
end

for index = 1, #ARGV, 6 do
  demandSound(ARGV[index])
  if ARGV[index + 5] ~= '' then demandSoundFor(cjson.decode(ARGV[index + 5])) end
end
${FREEING}
local answers = {}
for index = 1, #ARGV, 6 do
  answers[#answers + 1] = settle(unpack(ARGV, index, index + 5))
end
finishScript()
return answers
`,
);

/** The arguments of a script for an outcome: texts, and empty ones where there is nothing. */
type Outcome = Readonly<Partial<Record<string, string>>>;

/** All outcomes are checked before the first is written. */
export async function settle(
  context: Context,
  { settlements }: { readonly settlements: readonly Settlement[] },
): Promise<SettleAnswer[]> {
  const parts = partsBySize(settlements.map(argumentsOf), sizeOf);
  const replies = await Promise.all(parts.map((part) => settlePart(context, part)));
  const failed = replies.find((reply) => reply instanceof StoreUnavailable);
  // Some parts have answers: only the others are asked about again.
  if (failed !== undefined && replies.every((reply) => reply instanceof StoreUnavailable))
    throw failed;
  return replies.flatMap((reply, index) =>
    reply instanceof StoreUnavailable
      ? (parts[index] ?? []).map(() => ({ unknown: reply }))
      : reply,
  );
}

async function settlePart(
  context: Context,
  part: readonly (readonly string[])[],
): Promise<SettleAnswer[] | StoreUnavailable> {
  try {
    const reply = await context.write(SETTLE, ...part.flat());
    await context.confirm();
    return list(reply) as SettleAnswer[];
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
}

function argumentsOf({ job, outcome, children }: Settlement): readonly string[] {
  const [number, lease] = leaseArguments(job);
  const made = children.length === 0 ? '' : JSON.stringify(children.map(specOf));
  return [queueOf(job.kind), number, lease, ...outcomeOf(outcome), made];
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** The move, and what it takes. */
function outcomeOf(outcome: SettledOutcome): readonly [string, string] {
  refuseUnstorableOutcome(outcome);
  if (outcome.move !== 'succeed') return [outcome.move, JSON.stringify(detailsOf(outcome))];
  if (outcome.effects.length > 0) throw cannotCommitEffects();
  return [outcome.purgePayload ? 'purge' : 'succeed', outcome.result];
}

function detailsOf(outcome: Exclude<SettledOutcome, { move: 'succeed' }>): Outcome {
  switch (outcome.move) {
    case 'fail':
      return failureOf(outcome.error, outcome.stack);
    case 'retry':
      return { delayMs: String(outcome.delayMs), ...failureOf(outcome.error, outcome.stack) };
    case 'defer':
      return {
        delayMs: String(outcome.delayMs),
        ...(outcome.payload !== null && { payload: outcome.payload }),
      };
    default:
      return {};
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
