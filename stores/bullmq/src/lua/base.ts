/**
 * What every script begins with. KEYS[1] is the prefix of the store, `{millrace}`. BullMQ's keys are `{millrace}:queue:…`;
 * ours are `{millrace}.…`, so that no kind can collide with them:
 *
 * - `.all` job number → member (`queue:id`): finds a job by its id, and is the list;
 * - `.state:QUEUED` and so on, but for SUCCEEDED, which nearly all are; `.correlation:…`, `.subject:…`: the same for some;
 * - `.leases` end of the lease → member; `.claim:worker/number` what a claim gave, for its replay;
 * - `.suspects:queue`, `.keys`, `.counts`, `.kinds`, `.number`, `.order`, `.executions:member`;
 * - `.scheduled` members that are not due yet; `.names` member → its tenant, key, correlation and subject, to find what the
 *   indexes have of a job whose hash a tool of BullMQ has removed;
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

-- Reads fields into the job; one that is not there is false. A key that is no hash is no job.
local function load(job, fields)
  local values = redis.pcall('HMGET', job.key, unpack(fields))
  if values.err then values = {} end
  for index, field in ipairs(fields) do job[field] = values[index] or false end
  return job
end

-- A script that stops half-way leaves half a job. What could stop it is a key of another type, where an app gave a job the
-- name of a list of its queue (jobId 'delayed'): all are looked at before the first write.
local QUEUE_TYPES = { wait = 'list', paused = 'list', active = 'list', prioritized = 'zset', delayed = 'zset',
  completed = 'zset', failed = 'zset', events = 'stream', meta = 'hash' }
local OWN_TYPES = { all = 'zset', leases = 'zset', keys = 'hash', counts = 'hash', kinds = 'set', names = 'hash',
  scheduled = 'set', number = 'string', order = 'string', ['state:QUEUED'] = 'zset', ['state:PROCESSING'] = 'zset',
  ['state:FAILED'] = 'zset', ['state:CANCELED'] = 'zset' }

local function wrongKey(types, keyOf)
  for what, expected in pairs(types) do
    local key = keyOf(what)
    local found = call('TYPE', key).ok
    if found ~= expected and found ~= 'none' then return key .. ' is a ' .. found .. ', not a ' .. expected end
  end
  return false
end

local faults, isOwnChecked = {}, false

-- What is wrong with the keys of a queue, or false.
local function faultOf(queue)
  if not isOwnChecked then
    local fault = wrongKey(OWN_TYPES, own)
    if fault then error('WRONGTYPE ' .. fault) end
    isOwnChecked = true
  end
  if faults[queue] == nil then
    faults[queue] = wrongKey(QUEUE_TYPES, function(what) return ofQueue(queue, what) end)
  end
  return faults[queue]
end

local function demandSound(queue)
  local fault = faultOf(queue)
  if fault then error('WRONGTYPE ' .. fault) end
end

-- The jobs of these numbers, false for one that is not there: all queues are sound.
local function findSound(numbers)
  local jobs = {}
  for index, number in ipairs(numbers) do
    jobs[index] = find(number) or false
    if jobs[index] then demandSound(jobs[index].queue) end
  end
  return jobs
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

-- What the indexes have of a job.
local function keepNames(job, tenant, uniqueKey, correlationId, subject)
  if tenant .. uniqueKey .. correlationId .. subject == '' then return call('HDEL', own('names'), job.member) end
  call('HSET', own('names'), job.member, cjson.encode({ tenant, uniqueKey, correlationId, subject }))
end

local function namesOf(job)
  return unpack(cjson.decode(call('HGET', own('names'), job.member) or '["","","",""]'))
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

/**
 * For scripts that must work when the memory is full, since they free it or end what runs. Redis refuses a script then when
 * its first write is one that could need memory, and lets it through when the first is one that deletes, be there anything
 * to delete or not: so from 6.2 on. (The flag `allow-oom` is of 7.0.)
 */
export const FREEING = /* lua */ `
call('DEL', own('nothing'))
`;
