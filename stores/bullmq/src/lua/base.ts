/**
 * The beginning of every script. KEYS[1] is the prefix of the store, `{millrace}`. BullMQ's keys are `{millrace}:queue:…`;
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
local call, unpack, tonumber = redis.call, unpack, tonumber

local time = call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000) + tonumber(call('GET', P .. '.clock') or 0)

-- '%.0f' takes three times as long.
local format, floor = string.format, math.floor
local function text(number)
  return format('%d', floor(number + 0.5))
end

local nowText = text(now)

-- The names of keys that many jobs have in common are made once.
local function remembered(make)
  return setmetatable({}, { __index = function(known, what)
    known[what] = make(what)
    return known[what]
  end })
end

local ownKeys = remembered(function(what) return P .. '.' .. what end)
local queueKeys = remembered(function(queue)
  return remembered(function(what) return P .. ':' .. queue .. ':' .. what end)
end)

local function own(what)
  return ownKeys[what]
end

local function ofQueue(queue, what)
  return queueKeys[queue][what]
end

-- A job before anything of it is read. The fields that are named here are not added to the table one by one later, which
-- would make it larger three times.
local function named(queue, id)
  local member = queue .. ':' .. id
  return { queue = queue, id = id, member = member, key = P .. ':' .. member, number = false, state = false, lease = false,
    ats = false, tenant = false, erased = false, deid = false, executions = false, prio = false, order = false,
    suspect = false, answer = false }
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
  for index = 1, #fields do job[fields[index]] = values[index] or false end
  return job
end

-- A script that stops half-way leaves half a job. What could stop it is a key of another type, where an app gave a job the
-- name of a list of its queue (jobId 'delayed'): all are looked at before the first write. No job has a name of our own keys.
local QUEUE_TYPES = { wait = 'list', paused = 'list', active = 'list', prioritized = 'zset', delayed = 'zset',
  completed = 'zset', failed = 'zset', events = 'stream', meta = 'hash' }
local faults = {}

-- What is wrong with the keys of a queue, or false.
local function faultOf(queue)
  if faults[queue] ~= nil then return faults[queue] end
  faults[queue] = false
  for what, expected in pairs(QUEUE_TYPES) do
    local key = ofQueue(queue, what)
    local found = call('TYPE', key).ok
    if found ~= expected and found ~= 'none' then faults[queue] = key .. ' is a ' .. found .. ', not a ' .. expected end
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

-- What the indexes have of a job.
local function keepNames(job, tenant, uniqueKey, correlationId, subject)
  if tenant .. uniqueKey .. correlationId .. subject == '' then return call('HDEL', own('names'), job.member) end
  call('HSET', own('names'), job.member, cjson.encode({ tenant, uniqueKey, correlationId, subject }))
end

local function namesOf(job)
  return unpack(cjson.decode(call('HGET', own('names'), job.member) or '["","","",""]'))
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
