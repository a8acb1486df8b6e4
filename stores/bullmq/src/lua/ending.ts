import { EXECUTIONS_KEPT } from '@millrace/engine';

/** Leases, and how a job ends or goes back. A stale lease changes nothing: `holds` is asked before every write. */
export const ENDING = /* lua */ `
local HELD = { 'number', 'state', 'epoch', 'claim', 'settledEpoch', 'settledClaim', 'attempt', 'maxAttempts', 'tenant',
  'rank', 'suspect', 'erased', 'cancelRequested', 'renewed', 'pb', 'processedOn' }

local function holds(job, epoch, claim)
  return job.state == 'PROCESSING' and job.epoch == epoch and job.claim == claim
end

local function release(job)
  call('ZREM', own('leases'), job.member)
  call('LREM', ofQueue(job.queue, 'active'), 1, job.id)
  call('DEL', job.key .. ':lock')
  call('HDEL', job.key, 'leaseUntil', 'renewed')
end

-- What an erased job may keep of a text: nothing.
local function kept(job, words)
  return job.erased and '' or words
end

local function keepExecution(job, outcome, failure)
  local key = own('executions:' .. job.member)
  if outcome == 'succeeded' and call('EXISTS', key) == 0 then return end
  local execution = { attempt = job.attempt, worker = job.pb or '', startedAt = job.processedOn, endedAt = text(now),
    outcome = outcome }
  if failure then
    execution.code = failure.code
    execution.message = kept(job, failure.message)
    execution.retryable = failure.retryable
    if failure.stack and not job.erased then execution.stack = failure.stack end
  end
  call('RPUSH', key, cjson.encode(execution))
  call('LTRIM', key, -${EXECUTIONS_KEPT}, -1)
end

local function keepFailure(job, failure)
  call('HSET', job.key, 'errorCode', failure.code, 'errorRetryable', failure.retryable,
    'failedReason', kept(job, failure.message),
    'stacktrace', (failure.stack and not job.erased) and cjson.encode({ failure.stack }) or '[]')
end

local function forgetFailure(job)
  call('HDEL', job.key, 'errorCode', 'errorRetryable', 'failedReason', 'stacktrace')
end

local function finish(job, state, list, name, ...)
  leave(job)
  call('HSET', job.key, 'finishedOn', text(now), 'atm', job.attempt)
  call('HDEL', job.key, 'suspect')
  call('ZADD', ofQueue(job.queue, list), text(now), job.id)
  enter(job, state)
  event(job, name, ...)
end

local function succeed(job, result)
  if not job.erased then call('HSET', job.key, 'returnvalue', result) end
  finish(job, 'SUCCEEDED', 'completed', 'completed', 'returnvalue', kept(job, result), 'prev', 'active')
end

local function fail(job, failure)
  keepFailure(job, failure)
  finish(job, 'FAILED', 'failed', 'failed', 'failedReason', kept(job, failure.message), 'prev', 'active')
end

-- BullMQ has no such state: its tools see a failed job.
local function cancelJob(job)
  call('HSETNX', job.key, 'failedReason', 'canceled')
  finish(job, 'CANCELED', 'failed', 'failed', 'failedReason', 'canceled', 'prev', 'active')
end

local function putBack(job, attempt, runAt)
  leave(job)
  job.attempt = text(math.max(0, attempt))
  call('HSET', job.key, 'attempt', job.attempt, 'atm', job.attempt)
  enter(job, 'QUEUED')
  wait(job, runAt)
end

local function clearSuspect(job)
  if job.suspect then call('HDEL', job.key, 'suspect') end
  job.suspect = false
end

-- The key goes to whoever asks next, unless another job has it already.
local function freeKey(job)
  if job.uniqueKey and call('HGET', own('keys'), job.uniqueKey) == job.number then
    call('HDEL', own('keys'), job.uniqueKey)
  end
end

-- Needs: number, state, tenant.
local function remove(job)
  load(job, { 'uniqueKey', 'correlationId', 'subject' })
  freeKey(job)
  leave(job)
  local list = job.state == 'SUCCEEDED' and 'completed' or 'failed'
  call('ZREM', ofQueue(job.queue, list), job.id)
  call('ZREM', own('all'), job.member)
  if job.correlationId then call('ZREM', own('correlation:' .. job.correlationId), job.member) end
  if job.subject then call('ZREM', own('subject:' .. job.subject), job.member) end
  call('DEL', job.key, job.key .. ':logs', own('executions:' .. job.member))
  event(job, 'removed', 'prev', list)
end
`;
