/**
 * What every script begins with. KEYS[1] is the prefix of the store, `{millrace}`. BullMQ's keys are `{millrace}:queue:…`;
 * ours are `{millrace}.…`, so that no kind can collide with them:
 *
 * - `.all` job number → member (`queue:id`): finds a job by its id, and is the list;
 * - `.state:QUEUED` and so on, but for SUCCEEDED, which nearly all are; `.correlation:…`, `.subject:…`: the same for some;
 * - `.leases` end of the lease → member; `.claim:worker/number` what a claim gave, for its replay;
 * - `.suspects:queue`, `.keys`, `.counts`, `.kinds`, `.number`, `.executions:member`;
 * - `.clock` what is added to the clock of Redis, for tests.
 *
 * A number of more than 14 digits loses the rest when Lua makes a text of it: `text` does not.
 */
export const BASE = /* lua */ `
local P = KEYS[1]
local call = redis.call

local time = call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000) + tonumber(call('GET', P .. '.clock') or 0)

local function text(number)
  return string.format('%.0f', number)
end

local function own(what)
  return P .. '.' .. what
end

local function ofQueue(queue, what)
  return P .. ':' .. queue .. ':' .. what
end

-- A job before anything of it is read.
local function named(queue, id)
  local member = queue .. ':' .. id
  return { queue = queue, id = id, member = member, key = P .. ':' .. member }
end

local function ofMember(member)
  return named(string.match(member, '^([^:]*):(.*)$'))
end

-- The job with this number, or nil.
local function find(number)
  if not number then return nil end
  local members = call('ZRANGEBYSCORE', own('all'), number, number, 'LIMIT', 0, 1)
  return members[1] and ofMember(members[1])
end

-- Reads fields into the job; one that is not there is false.
local function load(job, fields)
  local values = call('HMGET', job.key, unpack(fields))
  for index, field in ipairs(fields) do job[field] = values[index] end
  return job
end

-- QueueEvents reads these. BullMQ keeps about as many.
local function event(job, name, ...)
  call('XADD', ofQueue(job.queue, 'events'), 'MAXLEN', '~', 10000, '*', 'event', name, 'jobId', job.id, ...)
end

local function count(job, what, by)
  local field = what .. ':' .. job.queue .. ':' .. (job.tenant or '')
  if call('HINCRBY', own('counts'), field, by) == 0 then call('HDEL', own('counts'), field) end
end

local function enter(job, state)
  job.state = state
  call('HSET', job.key, 'state', state)
  if state ~= 'SUCCEEDED' then call('ZADD', own('state:' .. state), job.number, job.member) end
  count(job, state, 1)
end

local function leave(job)
  if job.state ~= 'SUCCEEDED' then call('ZREM', own('state:' .. job.state), job.member) end
  count(job, job.state, -1)
end

-- Hints: gathered while the script runs, published at its end.
local readyQueues, isReady, canceledLeases = {}, {}, {}

local function hintReady(queue)
  if isReady[queue] then return end
  isReady[queue] = true
  readyQueues[#readyQueues + 1] = queue
end

local function publish()
  if #readyQueues > 0 then call('PUBLISH', own('hints'), 'ready ' .. cjson.encode(readyQueues)) end
  if #canceledLeases > 0 then
    call('PUBLISH', own('hints'), 'cancel [' .. table.concat(canceledLeases, ',') .. ']')
  end
end
`;
