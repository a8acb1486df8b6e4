import { GATHERING } from './gathering.ts';

/**
 * Where jobs wait. Due ones are in BullMQ's `prioritized`, the others in its `delayed`. Nothing is put into `wait`: what is
 * found there was added by an app that uses BullMQ, or put back by one of its tools.
 *
 * The score in `prioritized` is rank · 2^32 + order, which counts the jobs as they are made: what goes back or falls due keeps
 * its age. Suspects have the last rank there, where no claim among others looks, and are in
 * `.suspects:queue` in their own order.
 */
export const WAITING = /* lua */ `
${GATHERING}
local SUSPECT = 2097151
local LAST_RANK = 2097150
local MIDDLE_RANK = 1048576
local FINISHED = { SUCCEEDED = true, FAILED = true, CANCELED = true }

local function score(rank, order)
  return text(rank * 4294967296 + tonumber(order) % 4294967296)
end

-- As rankOf in names.ts.
local function rankOf(priority)
  if not priority then return LAST_RANK end
  return math.min(LAST_RANK - 1, math.max(1, MIDDLE_RANK - tonumber(priority)))
end

local INDEX = { QUEUED = own('state:QUEUED'), PROCESSING = own('state:PROCESSING'), FAILED = own('state:FAILED'),
  CANCELED = own('state:CANCELED') }

local function leave(job)
  if INDEX[job.state] then later('ZREM', INDEX[job.state], job.member) end
  count(job, job.state, -1)
end

-- The only writer of a state. The fields that come with it are written in the same call.
local function enter(job, state, ...)
  if job.state then leave(job) end
  job.state = state
  call('HSET', job.key, 'state', state, ...)
  if INDEX[state] then later('ZADD', INDEX[state], job.number, job.member) end
  count(job, state, 1)
end

-- The numbers of new jobs of these queues, and the place of the first in the order. A number is never less than the
-- microseconds of the server's clock: after a fail-over or a flush that lost jobs, whoever was answered with one of them must
-- not find the job of someone else. An app may have given a job of its own such a name: then all are taken behind it.
local function newNumbers(queues)
  local before = math.max(tonumber(call('GET', own('number')) or 0) or 0, micros - 1)
  local numbers, keys
  repeat
    numbers, keys = {}, {}
    for index = 1, #queues do
      numbers[index] = text(before + index)
      keys[index] = P .. ':' .. queues[index] .. ':bull-' .. numbers[index]
    end
    before = before + #queues
  until call('EXISTS', unpack(keys)) == 0
  call('SET', own('number'), text(before))
  return numbers, call('INCRBY', own('order'), #queues) - #queues + 1
end

-- A tool of BullMQ may have promoted the job, so its place does not say whether it is counted.
local function unschedule(job)
  if call('SREM', own('scheduled'), job.member) == 1 then count(job, 'SCHEDULED', -1) end
end

-- Needs: order, prio, suspect.
local function makeDue(job)
  local rank = rankOf(job.prio)
  later('ZADD', ofQueue(job.queue, 'prioritized'), score(job.suspect and SUSPECT or rank, job.order), job.id)
  if job.suspect then later('ZADD', own('suspects:' .. job.queue), score(rank, job.order), job.id) end
end

-- Needs: number, order, prio, tenant, suspect; and the state, unless the job is new.
local function wait(job, runAt, ...)
  local isLater = runAt > now
  enter(job, 'QUEUED', 'runAt', runAt == now and nowText or text(runAt), 'delay', isLater and text(runAt - now) or '0', ...)
  if isLater then
    later('ZADD', ofQueue(job.queue, 'delayed'), text(runAt * 4096 + tonumber(job.order) % 4096), job.id)
    if call('SADD', own('scheduled'), job.member) == 1 then count(job, 'SCHEDULED', 1) end
    event(job, 'delayed', 'delay', text(runAt))
  else
    makeDue(job)
    event(job, 'waiting')
  end
  hintReady(job.queue)
end

local function unwait(job)
  later('ZREM', ofQueue(job.queue, 'delayed'), job.id)
  later('ZREM', ofQueue(job.queue, 'prioritized'), job.id)
  if job.suspect then later('ZREM', own('suspects:' .. job.queue), job.id) end
  unschedule(job)
end

local function endedIn(job)
  return ofQueue(job.queue, job.state == 'SUCCEEDED' and 'completed' or 'failed')
end

-- Of a lease that was lost, only the epoch is kept: 'epoch:'.
local function wasLost(lease)
  return string.sub(lease, -1) == ':'
end

-- By hand: a job that ended starts over.
local function requeue(job)
  later('ZREM', endedIn(job), job.id)
  call('HDEL', job.key, 'errorCode', 'errorRetryable', 'failedReason', 'stacktrace', 'cancelRequested',
    'returnvalue', 'finishedOn', 'processedOn', 'pb', 'suspect', 'atm')
  job.suspect = false
  wait(job, now, 'ats', '0')
end

-- A job that an app added with BullMQ gets what ours have. BullMQ's priority n counts as -n and none as 0, which keeps its
-- order; its attempts are kept, its backoff is not: the policy of the kind holds.
local function takeIn(job)
  load(job, { 'name', 'opts', 'timestamp', 'priority', 'delay' })
  if not job.name then return end
  local isRead, opts = pcall(cjson.decode, job.opts or '{}')
  local attempts = isRead and type(opts) == 'table' and tonumber(opts.attempts) or 1
  local numbers, order = newNumbers({ job.queue })
  job.number, job.order = numbers[1], text(order)
  job.prio = text(0 - (tonumber(job.priority or 0) or 0))
  job.tenant = false
  local runAt = (tonumber(job.timestamp or now) or now) + (tonumber(job.delay or 0) or 0)
  call('HDEL', job.key, 'failedReason', 'stacktrace')
  enter(job, 'QUEUED', 'number', job.number, 'order', job.order, 'prio', job.prio, 'ats', '0',
    'maxAttempts', text(math.max(1, math.floor(attempts))), 'runAt', text(runAt))
  later('ZADD', own('all'), job.number, job.member)
  call('SADD', own('kinds'), job.queue)
  makeDue(job)
end

local PLACED = { 'number', 'order', 'state', 'prio', 'tenant', 'suspect', 'erased' }

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
