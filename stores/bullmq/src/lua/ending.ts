import { EXECUTIONS_KEPT } from '@millrace/engine';

/** Leases, and how a job ends or goes back. A stale lease changes nothing: `holds` is asked before every write. */
export const ENDING = /* lua */ `
local HELD = { 'number', 'order', 'state', 'epoch', 'claim', 'settledEpoch', 'settledClaim', 'attempt', 'maxAttempts', 'tenant',
  'rank', 'suspect', 'erased', 'cancelRequested', 'renewed', 'pb', 'processedOn', 'deid' }

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

-- As BullMQ does it: who adds the same again after the end gets a new job. One with a time of its own runs out by itself.
local function freeDeduplication(job, isRemoved)
  if not job.deid then return end
  local key = ofQueue(job.queue, 'de:' .. job.deid)
  if redis.pcall('GET', key) ~= job.id then return end
  if isRemoved or call('PTTL', key) == -1 then call('DEL', key, ofQueue(job.queue, 'dn:' .. job.deid)) end
end

-- 10,000 events with results of a megabyte would be most of the memory.
local LONGEST_IN_EVENT = 4096

local function finish(job, state, list, name, ...)
  leave(job)
  call('HSET', job.key, 'finishedOn', text(now), 'atm', job.attempt)
  call('HDEL', job.key, 'suspect')
  freeDeduplication(job)
  call('ZADD', ofQueue(job.queue, list), text(now), job.id)
  enter(job, state)
  event(job, name, ...)
end

local function succeed(job, result)
  if not job.erased then call('HSET', job.key, 'returnvalue', result) end
  local told = (job.erased or #result > LONGEST_IN_EVENT) and 'null' or result
  finish(job, 'SUCCEEDED', 'completed', 'completed', 'returnvalue', told, 'prev', 'active')
end

local function fail(job, failure)
  keepFailure(job, failure)
  local told = string.sub(kept(job, failure.message), 1, LONGEST_IN_EVENT)
  finish(job, 'FAILED', 'failed', 'failed', 'failedReason', told, 'prev', 'active')
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
local function freeKey(job, uniqueKey)
  if uniqueKey and uniqueKey ~= '' and call('HGET', own('keys'), uniqueKey) == job.number then
    call('HDEL', own('keys'), uniqueKey)
  end
end

-- What names a job beside its hash. Needs: number, state, tenant.
local function forget(job)
  local _, uniqueKey, correlationId, subject = namesOf(job)
  freeKey(job, uniqueKey)
  leave(job)
  unschedule(job)
  call('ZREM', own('all'), job.member)
  call('ZREM', own('leases'), job.member)
  call('ZREM', own('suspects:' .. job.queue), job.id)
  if correlationId ~= '' then call('ZREM', own('correlation:' .. correlationId), job.member) end
  if subject ~= '' then call('ZREM', own('subject:' .. subject), job.member) end
  call('HDEL', own('names'), job.member)
  call('DEL', own('executions:' .. job.member))
end

-- A tool of BullMQ removed the hash.
local function forgetMissing(job, number)
  job.number, job.tenant, job.state = number, namesOf(job), 'SUCCEEDED'
  for _, state in ipairs({ 'QUEUED', 'PROCESSING', 'FAILED', 'CANCELED' }) do
    if call('ZSCORE', own('state:' .. state), job.member) then job.state = state end
  end
  forget(job)
end

-- Needs: number, state, tenant, deid.
local function remove(job)
  forget(job)
  freeDeduplication(job, true)
  call('ZREM', endedIn(job), job.id)
  call('DEL', job.key, job.key .. ':logs')
  event(job, 'removed', 'prev', job.state == 'SUCCEEDED' and 'completed' or 'failed')
end
`;
