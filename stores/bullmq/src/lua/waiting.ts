/**
 * Where jobs wait. Due ones are in BullMQ's `prioritized`, the others in its `delayed`. Nothing is put into `wait`: what is
 * found there was added by an app that uses BullMQ, or put back by one of its tools.
 *
 * The score in `prioritized` is rank · 2^32 + order, which counts the jobs as they are made: what goes back or falls due keeps
 * its age. Suspects have the last rank there, where no claim among others looks, and are in
 * `.suspects:queue` in their own order.
 */
export const WAITING = /* lua */ `
local SUSPECT = 2097151
local LAST_RANK = 2097150
local FINISHED = { SUCCEEDED = true, FAILED = true, CANCELED = true }

local function score(rank, order)
  return text(tonumber(rank) * 4294967296 + tonumber(order) % 4294967296)
end

-- The number of a new job, and its place in the order. A number is never less than the microseconds of the server's clock:
-- after a fail-over or a flush that lost jobs, whoever was answered with one of them must not find the job of someone else.
-- An app may have given a job of its own that name.
local function newNumber(queue)
  local number = math.max((tonumber(call('GET', own('number')) or 0) or 0) + 1, micros)
  while call('EXISTS', ofQueue(queue, 'bull-' .. text(number))) == 1 do number = number + 1 end
  local order = text(call('INCR', own('order')))
  call('SET', own('number'), text(number))
  return text(number), order
end

-- A tool of BullMQ may have promoted the job, so its place does not say whether it is counted.
local function unschedule(job)
  if call('SREM', own('scheduled'), job.member) == 1 then count(job, 'SCHEDULED', -1) end
end

-- Needs: order, rank, tenant, suspect.
local function makeDue(job)
  call('ZADD', ofQueue(job.queue, 'prioritized'), score(job.suspect and SUSPECT or job.rank, job.order), job.id)
  if job.suspect then call('ZADD', own('suspects:' .. job.queue), score(job.rank, job.order), job.id) end
end

local function wait(job, runAt)
  call('HSET', job.key, 'runAt', text(runAt), 'delay', text(math.max(0, runAt - now)))
  if runAt > now then
    call('ZADD', ofQueue(job.queue, 'delayed'), text(runAt * 4096 + tonumber(job.order) % 4096), job.id)
    if call('SADD', own('scheduled'), job.member) == 1 then count(job, 'SCHEDULED', 1) end
    event(job, 'delayed', 'delay', text(runAt))
  else
    makeDue(job)
    event(job, 'waiting')
  end
  hintReady(job.queue)
end

local function unwait(job)
  if call('ZREM', ofQueue(job.queue, 'delayed'), job.id) == 0 then
    call('ZREM', ofQueue(job.queue, 'prioritized'), job.id)
    if job.suspect then call('ZREM', own('suspects:' .. job.queue), job.id) end
  end
  unschedule(job)
end

local function endedIn(job)
  return ofQueue(job.queue, job.state == 'SUCCEEDED' and 'completed' or 'failed')
end

-- By hand: a job that ended starts over.
local function requeue(job)
  leave(job)
  call('ZREM', endedIn(job), job.id)
  call('HDEL', job.key, 'errorCode', 'errorRetryable', 'failedReason', 'stacktrace', 'cancelRequested',
    'returnvalue', 'finishedOn', 'processedOn', 'pb', 'suspect', 'atm')
  call('HSET', job.key, 'attempt', '0')
  job.suspect = false
  enter(job, 'QUEUED')
  wait(job, now)
end

-- A job that an app added with BullMQ gets what ours have. BullMQ's priority n counts as -n and none as 0, which keeps its
-- order; its attempts are kept, its backoff is not: the policy of the kind holds.
local function takeIn(job)
  load(job, { 'name', 'opts', 'timestamp', 'priority', 'delay' })
  if not job.name then return end
  local isRead, opts = pcall(cjson.decode, job.opts or '{}')
  local attempts = isRead and type(opts) == 'table' and tonumber(opts.attempts) or 1
  local priority = tonumber(job.priority or 0) or 0
  job.number, job.order = newNumber(job.queue)
  job.rank = text(math.min(LAST_RANK - 1, 1048576 + priority))
  job.tenant = false
  local runAt = (tonumber(job.timestamp or now) or now) + (tonumber(job.delay or 0) or 0)
  call('HSET', job.key, 'number', job.number, 'order', job.order, 'rank', job.rank, 'prio', text(0 - priority), 'attempt', '0',
    'maxAttempts', text(math.max(1, math.floor(attempts))), 'runAt', text(runAt))
  call('ZADD', own('all'), job.number, job.member)
  call('SADD', own('kinds'), job.queue)
  enter(job, 'QUEUED')
  makeDue(job)
end

local PLACED = { 'number', 'order', 'state', 'rank', 'tenant', 'suspect', 'erased' }

-- What lies among the due ones and is no job of ours that waits: taken in, started over where a tool had it retried, or
-- taken away. A tool that retries a job takes it out of where it ended, also one that succeeded, with its result: one that is
-- still there was retried or promoted before, and ended (was cancelled) since.
local function admit(job)
  if not job.number then
    takeIn(job)
  elseif FINISHED[job.state] then
    if not call('ZSCORE', endedIn(job), job.id) then requeue(job) end
  elseif job.state == 'QUEUED' then
    call('ZREM', ofQueue(job.queue, 'delayed'), job.id)
    unschedule(job)
    makeDue(job)
  end
end

local function admitWaiting(queue, list, limit)
  for taken = 1, limit do
    local id = call('RPOP', ofQueue(queue, list))
    if not id then return false end
    admit(load(named(queue, id), PLACED))
  end
  return true
end

local function promote(queue, limit)
  local due = call('ZRANGEBYSCORE', ofQueue(queue, 'delayed'), '-inf', text((now + 1) * 4096 - 1), 'LIMIT', 0, limit)
  for _, id in ipairs(due) do
    local job = load(named(queue, id), PLACED)
    call('ZREM', ofQueue(queue, 'delayed'), id)
    admit(job)
    if job.state == 'QUEUED' then
      call('HSET', job.key, 'delay', '0')
      event(job, 'waiting', 'prev', 'delayed')
    end
  end
  return #due == limit
end

-- BullMQ's last priority is the rank of suspects, where no claim looks: what is no suspect goes to the last rank before it.
local function admitLast(queue, limit)
  local set, suspects, from = ofQueue(queue, 'prioritized'), own('suspects:' .. queue), score(SUSPECT, 0)
  if call('ZCOUNT', set, from, '+inf') <= call('ZCARD', suspects) then return false end
  local admitted = 0
  for _, id in ipairs(call('ZRANGEBYSCORE', set, from, '+inf', 'LIMIT', 0, 1000)) do
    if not call('ZSCORE', suspects, id) then
      call('ZREM', set, id)
      admit(load(named(queue, id), PLACED))
      admitted = admitted + 1
      if admitted == limit then return true end
    end
  end
  return false
end

-- Brings a queue up to date. True: there is more to do, and the caller asks again.
local function tend(queue)
  local hasMore = admitWaiting(queue, 'wait', 100)
  hasMore = admitLast(queue, 100) or hasMore
  return promote(queue, 200) or hasMore
end
`;
