import { type ClaimParams, type Claimed, type Lost, TAKEN_TOLD } from '@millrace/engine';
import { type Context, type Reply, list, script, textOf } from '../context.ts';
import { keyFault } from '../errors.ts';
import { CLAIMED, toClaimed } from '../fields.ts';
import { FREEING } from '../lua/base.ts';
import { ENDING } from '../lua/ending.ts';
import { TAKING_OVER } from '../lua/taking-over.ts';
import { WAITING } from '../lua/waiting.ts';
import { jobId, kindOf, queueOf, rankOf } from '../names.ts';

/** The most leases that one call takes over, and the most jobs that it gives. */
const STEP = 100;

/** One reading of a job is for the claim and for the answer, which is its fields in the order of CLAIMED and then its queue. */
const CLAIMED_FIELDS = /* lua */ `
local CLAIMED = { ${CLAIMED.map((name) => `'${name}'`).join(', ')} }
local AT = {}
for index, name in ipairs(CLAIMED) do AT[name] = index end

local function read(job)
  local values = redis.pcall('HMGET', job.key, unpack(CLAIMED))
  if values.err then values = {} end
  job.number, job.state, job.lease, job.tenant = values[AT.number], values[AT.state], values[AT.lease], values[AT.tenant]
  job.ats, job.prio, job.suspect = values[AT.ats], values[AT.prio], values[AT.suspect]
  values[#CLAIMED + 1] = job.queue
  job.answer = values
  return job
end
`;

/**
 * ARGV: worker, claim, limit, lease in ms, lowest score that is too low or '', '1' for a suspect alone, wants as
 * [queue, limit]. Answers [again, now, taken over, taken from, lost, jobs, full, suspects, ms until the next is due,
 * faults]. A queue whose keys are at fault is left out, and the others go on.
 *
 * `again`: leases, strays or jobs that fall due are left over, and could come first: nothing was claimed.
 *
 * The epoch is never less than the microseconds of the server's clock: after a fail-over that lost claims, one that only
 * counts would give the numbers of the lost ones again (50 of 50: docs/decisions/0023-redis.md).
 */
const CLAIM = script(
  WAITING,
  CLAIMED_FIELDS,
  /* lua */ `
local worker, claim, limit, leaseMs, below, isAlone = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6] == '1'
local most = below == '' and score(SUSPECT, 0) or below

${FREEING}
local lost, takenFrom, takenOver, again = {}, {}, 0, false
local expired = call('ZRANGEBYSCORE', own('leases'), '-inf', '(' .. nowText, 'LIMIT', 0, ${STEP})
-- Most claims find none: they are spared the making of all these functions, as long as that of one job.
if #expired > 0 then
  ${ENDING}
  ${TAKING_OVER}
  takenOver, again = takeOverAll(expired, ${STEP})
end
local wants, found = {}, {}
for _, want in ipairs(cjson.decode(ARGV[7])) do
  local queue, wanted = want[1], tonumber(want[2])
  if faultOf(queue) then
    found[#found + 1] = faultOf(queue)
  elseif wanted > 0 and call('HEXISTS', ofQueue(queue, 'meta'), 'paused') == 0 then
    wants[#wants + 1] = { queue = queue, limit = wanted, given = 0 }
    if tend(queue) then again = true end
  end
end
flush()

local function suspectsOf(queue) return own('suspects:' .. queue) end
local function dueOf(queue) return ofQueue(queue, 'prioritized') end

local jobs, untilEnd, isFull = {}, text(now + tonumber(leaseMs)), false
local list = own('claim:' .. worker .. '/' .. claim)

local firstLease = text(micros) .. ':' .. claim

local function leaseAfter(last)
  return text(math.max(tonumber(string.match(last, '^%d+')) + 1, micros)) .. ':' .. claim
end

local function give(job)
  later('ZREM', dueOf(job.queue), job.id)
  if job.suspect then later('ZREM', suspectsOf(job.queue), job.id) end
  local lease = job.lease and leaseAfter(job.lease) or firstLease
  local attempt = job.ats and text(tonumber(job.ats) + 1) or '1'
  -- The answer to the last settlement may be lost, and it be asked for again.
  if job.lease and not wasLost(job.lease) then call('HSET', job.key, 'settled', job.lease) end
  enter(job, 'PROCESSING', 'lease', lease, 'ats', attempt, 'pb', worker, 'processedOn', nowText)
  later('LPUSH', ofQueue(job.queue, 'active'), job.id)
  later('ZADD', own('leases'), untilEnd, job.member)
  later('RPUSH', list, job.member)
  lock(job, worker)
  event(job, 'active', 'prev', 'waiting')
  job.answer[AT.lease], job.answer[AT.ats] = lease, attempt
  jobs[#jobs + 1] = job.answer
end

-- A tool of BullMQ may have promoted a job that is counted as scheduled.
local function unscheduleAll(choice)
  local members = {}
  for index, each in ipairs(choice) do members[index] = each.job.member end
  for index, isScheduled in ipairs(call('SMISMEMBER', own('scheduled'), unpack(members))) do
    if isScheduled == 1 then unwait(choice[index].job) end
  end
end

-- The due jobs of all wanted kinds, in their order over all of them.
local function choose(from, at_most)
  local choice = {}
  for _, want in ipairs(wants) do
    local found = call('ZRANGEBYSCORE', from(want.queue), '-inf', '(' .. most, 'WITHSCORES',
      'LIMIT', 0, math.min(at_most, want.limit))
    for index = 1, #found, 2 do
      choice[#choice + 1] = { want = want, id = found[index], score = tonumber(found[index + 1]) }
    end
  end
  if #wants == 1 then return choice end
  table.sort(choice, function(a, b) return a.score < b.score end)
  return { unpack(choice, 1, math.min(at_most, #choice)) }
end

-- A stray has a score of BullMQ's own until it is taken in: then the choice is made again.
local function isOurs(each)
  local job = read(named(each.want.queue, each.id))
  each.job = job
  if job.state == 'QUEUED' then return true end
  call('ZREM', ofQueue(job.queue, 'prioritized'), job.id)
  call('ZREM', own('suspects:' .. job.queue), job.id)
  admit(load(job, PLACED))
  return false
end

local taking = isAlone and math.min(1, limit) or math.min(limit, ${STEP})
if not again and taking > 0 then
  local choice = choose(isAlone and suspectsOf or dueOf, taking)
  for _, each in ipairs(choice) do
    if not isOurs(each) then again = true end
  end
  if not again and #choice > 0 then
    unscheduleAll(choice)
    for _, each in ipairs(choice) do
      give(each.job)
      each.want.given = each.want.given + 1
    end
    flush()
    call('PEXPIRE', list, math.max(60000, tonumber(leaseMs)))
  end
end

local hasSuspects, nextDue = 0, -1
for _, want in ipairs(wants) do
  if want.given >= want.limit then isFull = true end
  if call('ZCOUNT', suspectsOf(want.queue), '-inf', '(' .. most) > 0 then hasSuspects = 1 end
  local later = call('ZRANGE', ofQueue(want.queue, 'delayed'), 0, 0, 'WITHSCORES')
  if later[2] then
    local ms = math.max(1, math.floor(tonumber(later[2]) / 4096) - now)
    if nextDue < 0 or ms < nextDue then nextDue = ms end
  end
end
finishScript()
return { again and 1 or 0, nowText, takenOver, takenFrom, lost, jobs, isFull and 1 or 0, hasSuspects, text(nextDue),
  found }
`,
);

/** ARGV: worker, claim. Answers [now, jobs]: what the claim gave and is still held. */
const REPLAY = script(
  CLAIMED_FIELDS,
  /* lua */ `
local jobs = {}
for _, member in ipairs(call('LRANGE', own('claim:' .. ARGV[1] .. '/' .. ARGV[2]), 0, -1)) do
  local job = read(ofMember(member))
  local claim = string.match(job.lease or '', ':(.*)$')
  if job.state == 'PROCESSING' and claim == ARGV[2] and call('HGET', job.key, 'pb') == ARGV[1] and
    tonumber(call('ZSCORE', own('leases'), member) or 0) >= now then
    jobs[#jobs + 1] = job.answer
  end
end
return { nowText, jobs }
`,
);

export async function claim(context: Context, params: ClaimParams): Promise<Claimed> {
  if (params.replay === true) return replay(context, params);
  const left = new Map(params.wants.map(({ kind, limit }) => [queueOf(kind), limit]));
  const jobs: Claimed['jobs'] = [];
  const lost: Lost[] = [];
  const takenFrom: NonNullable<Claimed['takenFrom']>[number][] = [];
  let takenOver = 0;
  while (true) {
    const room = params.limit - jobs.length;
    const answer = list(await context.run(CLAIM, ...argumentsOf(params, room, left)));
    const [again, now, taken, from, ended, given, full, suspects, nextDue, faults] = answer;
    for (const fault of list(faults)) context.onFault(keyFault(String(fault)));
    takenOver += Number(taken);
    takenFrom.push(...list(from).map(toTakenFrom));
    lost.push(...list(ended).map(toLost));
    const some = list(given).map(toClaimed);
    jobs.push(...some);
    for (const { kind } of some) {
      const queue = queueOf(kind);
      left.set(queue, (left.get(queue) ?? 0) - 1);
    }
    const isFull = jobs.length >= params.limit || full === 1;
    if (again === 1 || (some.length === STEP && jobs.length < params.limit)) continue;
    return {
      jobs,
      now: Number(now),
      lost,
      takenOver,
      takenFrom: takenFrom.slice(0, TAKEN_TOLD),
      more: isFull && params.limit > 0 && params.alone !== true,
      suspects: suspects === 1,
      nextDueMs: Number(nextDue) < 0 ? null : Number(nextDue),
    };
  }
}

function argumentsOf(
  { worker, claim: number, leaseMs, minPriority, alone }: ClaimParams,
  limit: number,
  left: ReadonlyMap<string, number>,
): (string | number)[] {
  return [
    worker,
    number,
    limit,
    leaseMs,
    minPriority === undefined ? '' : String((rankOf(minPriority) + 1) * 2 ** 32),
    alone === true ? '1' : '0',
    JSON.stringify([...left].map(([queue, wanted]) => [queue, String(wanted)])),
  ];
}

async function replay(context: Context, params: ClaimParams): Promise<Claimed> {
  const [now, jobs] = list(await context.run(REPLAY, params.worker, params.claim));
  return {
    jobs: list(jobs).map(toClaimed),
    now: Number(now),
    lost: [],
    takenOver: 0,
    more: true,
    suspects: false,
    nextDueMs: null,
  };
}

function toTakenFrom(reply: Reply): NonNullable<Claimed['takenFrom']>[number] {
  const [number, worker] = list(reply);
  return { id: jobId(String(number)), worker: textOf(worker) ?? '' };
}

function toLost(reply: Reply): Lost {
  const [number, queue, attempt, correlationId] = list(reply);
  return {
    id: jobId(String(number)),
    kind: kindOf(textOf(queue) ?? ''),
    attempt: Number(attempt),
    correlationId: textOf(correlationId),
  };
}
