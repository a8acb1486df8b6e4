/**
 * Writes of many jobs of a script to the same keys (sets, lists, counts, locks) are gathered and written together: a call out
 * of Lua costs about a microsecond and a half before it has done anything, and one was made for each job and key
 * (docs/decisions/0031-redis-speed.md). A job's own hash is written at once, so that whoever looks at a job sees it as it is.
 *
 * Whoever reads such a key after writing calls `flush` before, and every script that writes calls it at its end.
 */
export const GATHERING = /* lua */ `
-- By key. The writes to one key keep their order.
local gathered = {}
-- Lua puts 8,000 values on its stack at the most.
local MOST = 4000

local function write(key)
  local batch = gathered[key]
  gathered[key] = nil
  call(batch.command, key, unpack(batch, 1, batch.size))
end

-- ZADD, ZREM and the like: a key, and a member, or a score and a member.
local function later(command, key, value, member)
  local batch = gathered[key]
  if batch and (batch.command ~= command or batch.size > MOST) then
    write(key)
    batch = nil
  end
  if not batch then
    batch = { command = command, size = 0 }
    gathered[key] = batch
  end
  local size = batch.size + 1
  batch[size] = value
  if member then
    size = size + 1
    batch[size] = member
  end
  batch.size = size
end

local counted = {}
local subqueues = remembered(function(what)
  return remembered(function(queue)
    return remembered(function(tenant) return what .. ':' .. queue .. ':' .. tenant end)
  end)
end)

local function count(job, what, by)
  local field = subqueues[what][job.queue][job.tenant or '']
  counted[field] = (counted[field] or 0) + by
end

local locks, unlocks = {}, {}

-- BullMQ's own remove() is refused while there is a lock. Ours is the lease, so a lock has no time of its own.
local function lock(job, worker)
  locks[#locks + 1] = job.key .. ':lock'
  locks[#locks + 1] = worker
end

local function unlock(job)
  unlocks[#unlocks + 1] = job.key .. ':lock'
end

-- Jobs that run no more. They are most likely the oldest, which are at the end of the list: the end is written again without
-- them, which is three calls, and not one for each.
local released = {}

local function release(job)
  later('ZREM', own('leases'), job.member)
  unlock(job)
  local ids = released[job.queue] or {}
  released[job.queue] = ids
  ids[#ids + 1] = job.id
end

local function unlist(queue, ids)
  local active, isGone, others, found = ofQueue(queue, 'active'), {}, {}, 0
  for _, id in ipairs(ids) do isGone[id] = true end
  if #ids > 2 then
    local last = call('LRANGE', active, text(-2 * #ids), '-1')
    for _, id in ipairs(last) do
      if isGone[id] then found = found + 1 else others[#others + 1] = id end
    end
    if found == #ids then
      call('LTRIM', active, '0', text(-1 - #last))
      if #others > 0 then call('RPUSH', active, unpack(others)) end
      return
    end
  end
  for _, id in ipairs(ids) do call('LREM', active, '-1', id) end
end

local function flush()
  for queue, ids in pairs(released) do unlist(queue, ids) end
  released = {}
  for key in pairs(gathered) do write(key) end
  if #unlocks > 0 then call('DEL', unpack(unlocks)) end
  if #locks > 0 then call('MSET', unpack(locks)) end
  locks, unlocks = {}, {}
  for field, by in pairs(counted) do
    if by ~= 0 and call('HINCRBY', own('counts'), field, by) == 0 then call('HDEL', own('counts'), field) end
  end
  counted = {}
end

-- QueueEvents reads these. BullMQ keeps about as many. The first event of a script makes room for the others.
local trimmed = {}

local function event(job, name, ...)
  local key = ofQueue(job.queue, 'events')
  if trimmed[key] then return call('XADD', key, '*', 'event', name, 'jobId', job.id, ...) end
  trimmed[key] = true
  call('XADD', key, 'MAXLEN', '~', 10000, '*', 'event', name, 'jobId', job.id, ...)
end

-- Hints, published at the end of the script.
local readyQueues, isReady, canceledLeases = {}, {}, {}

local function hintReady(queue)
  if isReady[queue] then return end
  isReady[queue] = true
  readyQueues[#readyQueues + 1] = queue
end

-- Every script that changes jobs ends with this.
local function finishScript()
  flush()
  if #readyQueues > 0 then call('PUBLISH', own('hints'), 'ready ' .. cjson.encode(readyQueues)) end
  if #canceledLeases > 0 then
    call('PUBLISH', own('hints'), 'cancel [' .. table.concat(canceledLeases, ',') .. ']')
  end
end
`;
