/**
 * Where jobs wait. Due ones are in BullMQ's `prioritized`, the others in its `delayed`. Nothing is put into `wait`: what is
 * found there was added by an app that uses BullMQ, or put back by one of its tools.
 *
 * The score in `prioritized` is rank · 2^32 + number. BullMQ counts separately; with the number of the job, what goes back
 * or falls due keeps its age. Suspects have the last rank there, where no claim among others looks, and are in
 * `.suspects:queue` in their own order.
 */
export const WAITING = /* lua */ `
local SUSPECT = 2097151
local LAST_RANK = 2097150
local FINISHED = { SUCCEEDED = true, FAILED = true, CANCELED = true }

local function score(rank, number)
  return text(tonumber(rank) * 4294967296 + tonumber(number) % 4294967296)
end

-- Needs: number, rank, tenant, suspect.
local function makeDue(job)
  call('ZADD', ofQueue(job.queue, 'prioritized'), score(job.suspect and SUSPECT or job.rank, job.number), job.id)
  if job.suspect then call('ZADD', own('suspects:' .. job.queue), score(job.rank, job.number), job.id) end
end

local function wait(job, runAt)
  call('HSET', job.key, 'runAt', text(runAt), 'delay', text(math.max(0, runAt - now)))
  if runAt > now then
    call('ZADD', ofQueue(job.queue, 'delayed'), text(runAt * 4096 + tonumber(job.number) % 4096), job.id)
    count(job, 'SCHEDULED', 1)
    event(job, 'delayed', 'delay', text(runAt))
  else
    makeDue(job)
    event(job, 'waiting')
  end
  hintReady(job.queue)
end

local function unwait(job)
  if call('ZREM', ofQueue(job.queue, 'delayed'), job.id) == 1 then
    count(job, 'SCHEDULED', -1)
  else
    call('ZREM', ofQueue(job.queue, 'prioritized'), job.id)
    if job.suspect then call('ZREM', own('suspects:' .. job.queue), job.id) end
  end
end

-- By hand: a failed or cancelled job starts over.
local function requeue(job)
  leave(job)
  call('ZREM', ofQueue(job.queue, 'failed'), job.id)
  call('HDEL', job.key, 'errorCode', 'errorRetryable', 'failedReason', 'stacktrace', 'cancelRequested',
    'finishedOn', 'processedOn', 'pb', 'suspect', 'atm')
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
  job.number = text(call('INCR', own('number')))
  job.rank = text(math.min(LAST_RANK - 1, 1048576 + priority))
  job.tenant = false
  local runAt = (tonumber(job.timestamp or now) or now) + (tonumber(job.delay or 0) or 0)
  call('HSET', job.key, 'number', job.number, 'rank', job.rank, 'prio', text(0 - priority), 'attempt', '0',
    'maxAttempts', text(math.max(1, math.floor(attempts))), 'runAt', text(runAt))
  call('ZADD', own('all'), job.number, job.member)
  call('SADD', own('kinds'), job.queue)
  enter(job, 'QUEUED')
  makeDue(job)
end

local PLACED = { 'number', 'state', 'rank', 'tenant', 'suspect', 'erased' }

-- What lies among the due ones and is no job of ours that waits: taken in, started over where a tool had it retried, or
-- taken away.
local function admit(job)
  if not job.number then
    takeIn(job)
  elseif job.state == 'FAILED' or job.state == 'CANCELED' then
    requeue(job)
  elseif job.state == 'QUEUED' then
    if call('ZREM', ofQueue(job.queue, 'delayed'), job.id) == 1 then count(job, 'SCHEDULED', -1) end
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
    if not job.number then
      takeIn(job)
    else
      call('HSET', job.key, 'delay', '0')
      count(job, 'SCHEDULED', -1)
      makeDue(job)
    end
    event(job, 'waiting', 'prev', 'delayed')
  end
  return #due == limit
end

-- Brings a queue up to date. True: there is more to do, and the caller asks again.
local function tend(queue)
  local hasMore = admitWaiting(queue, 'wait', 100)
  return promote(queue, 200) or hasMore
end
`;
