import { EXECUTIONS_KEPT } from '@millrace/engine';

/** Leases, and how a job ends or goes back. A stale lease changes nothing: `holds` is asked before every write. */
export const ENDING = /* lua */ `
-- What every end needs. A job has executions when an attempt before did not go well: only then is it a suspect or has the
-- failure of that attempt.
local HELD = { 'number', 'state', 'lease', 'ats', 'tenant', 'erased', 'deid', 'executions' }
local REST = { 'order', 'prio', 'maxAttempts', 'suspect', 'cancelRequested', 'renewed', 'pb', 'processedOn' }

-- A lease is 'epoch:claim', the last that was given. A settled job keeps it, to know its settlement again.
local function holds(job, lease)
  return job.state == 'PROCESSING' and job.lease == lease
end

-- The last lease that settled is the present one, unless its job runs or it was lost.
local function isSettled(job, lease)
  if job.state ~= 'PROCESSING' and job.lease and not wasLost(job.lease) then return job.lease == lease end
  return load(job, { 'settled' }).settled == lease
end

-- What an erased job may keep of a text: nothing.
local function kept(job, words)
  return job.erased and '' or words
end

local function keepExecution(job, outcome, failure)
  local key = own('executions:' .. job.member)
  local execution = { attempt = job.ats, worker = job.pb or '', startedAt = job.processedOn, endedAt = nowText,
    outcome = outcome }
  if failure then
    execution.code = failure.code
    execution.message = kept(job, failure.message)
    execution.retryable = failure.retryable
    if failure.stack and not job.erased then execution.stack = failure.stack end
  end
  call('RPUSH', key, cjson.encode(execution))
  call('LTRIM', key, -${EXECUTIONS_KEPT}, -1)
  if not job.executions then call('HSET', job.key, 'executions', '1') end
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

local function finish(job, state, list, ...)
  if job.suspect then call('HDEL', job.key, 'suspect') end
  enter(job, state, 'finishedOn', nowText, 'atm', job.ats or '0', ...)
  freeDeduplication(job)
  later('ZADD', ofQueue(job.queue, list), nowText, job.id)
end

local function succeed(job, result)
  if job.executions then
    load(job, REST)
    keepExecution(job, 'succeeded')
    forgetFailure(job)
  end
  if job.erased then
    finish(job, 'SUCCEEDED', 'completed')
  else
    finish(job, 'SUCCEEDED', 'completed', 'returnvalue', result)
  end
  local shown = (job.erased or #result > LONGEST_IN_EVENT) and 'null' or result
  event(job, 'completed', 'returnvalue', shown, 'prev', 'active')
end

local function fail(job, failure)
  keepFailure(job, failure)
  finish(job, 'FAILED', 'failed')
  local shown = string.sub(kept(job, failure.message), 1, LONGEST_IN_EVENT)
  event(job, 'failed', 'failedReason', shown, 'prev', 'active')
end

-- BullMQ has no such state: its tools see a failed job.
local function cancelJob(job)
  call('HSETNX', job.key, 'failedReason', 'canceled')
  finish(job, 'CANCELED', 'failed')
  event(job, 'failed', 'failedReason', 'canceled', 'prev', 'active')
end

local function putBack(job, attempt, runAt)
  job.ats = text(math.max(0, attempt))
  wait(job, runAt, 'ats', job.ats, 'atm', job.ats)
end

local function clearSuspect(job)
  if job.suspect then call('HDEL', job.key, 'suspect') end
  job.suspect = false
end

-- The key goes to the next job that asks for it, unless another job has it already.
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
  later('ZREM', own('all'), job.member)
  later('ZREM', own('leases'), job.member)
  later('ZREM', own('suspects:' .. job.queue), job.id)
  if correlationId ~= '' then later('ZREM', own('correlation:' .. correlationId), job.member) end
  if subject ~= '' then later('ZREM', own('subject:' .. subject), job.member) end
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
  later('ZREM', endedIn(job), job.id)
  call('DEL', job.key, job.key .. ':logs')
  event(job, 'removed', 'prev', job.state == 'SUCCEEDED' and 'completed' or 'failed')
end
`;
