import { type ClaimParams, type Claimed, type Lost, TAKEN_TOLD } from '@millrace/engine';
import { type Context, type Reply, list, script, textOf } from '../context.ts';
import { keyFault } from '../errors.ts';
import { CLAIMED, toClaimed } from '../fields.ts';
import { FREEING } from '../lua/base.ts';
import { ENDING } from '../lua/ending.ts';
import { WAITING } from '../lua/waiting.ts';
import { jobId, kindOf, queueOf, rankOf } from '../names.ts';

/** So many leases are taken over, and so many jobs given, by one call. */
const STEP = 100;

const CLAIMED_FIELDS = /* lua */ `
local CLAIMED = { ${CLAIMED.map((name) => `'${name}'`).join(', ')} }

local function claimed(job)
  return { job.queue, unpack(call('HMGET', job.key, unpack(CLAIMED))) }
end
`;

/** Takes a lease over whose time is over: see \`Claimed\` in the port. */
const TAKE_OVER = /* lua */ `
local lost, takenFrom = {}, {}

local function takeOver(job)
  local failure = { code = 'worker_lost', retryable = '0',
    message = 'The worker ' .. (job.pb or '') .. ' stopped renewing its lease during attempt ' .. job.attempt ..
      ': it died, froze or was cut off. The job may be the cause (memory, a crash): look at the log of the worker ' ..
      'before you retry it.' }
  release(job)
  keepExecution(job, 'lost', failure)
  if job.cancelRequested then return cancelJob(job) end
  local attempt = tonumber(job.attempt)
  local isLast = job.renewed and attempt >= tonumber(job.maxAttempts)
  if isLast and job.suspect then
    lost[#lost + 1] = { job.number, job.queue, job.attempt, call('HGET', job.key, 'correlationId') }
    return fail(job, failure)
  end
  call('HSET', job.key, 'suspect', '1')
  job.suspect = '1'
  event(job, 'stalled')
  putBack(job, (job.renewed and not isLast) and attempt or attempt - 1, now)
end

-- Oldest job first. True: there may be more.
local function takeOverExpired(limit)
  local members = call('ZRANGEBYSCORE', own('leases'), '-inf', '(' .. text(now), 'LIMIT', 0, limit)
  local jobs, isStuck = {}, true
  for _, member in ipairs(members) do
    local job = load(ofMember(member), HELD)
    if not faultOf(job.queue) then
      isStuck = false
      if job.state == 'PROCESSING' then jobs[#jobs + 1] = job else call('ZREM', own('leases'), member) end
    end
  end
  table.sort(jobs, function(a, b) return tonumber(a.number) < tonumber(b.number) end)
  for index, job in ipairs(jobs) do
    if index <= ${TAKEN_TOLD} then takenFrom[index] = { job.number, job.pb or '' } end
    takeOver(job)
  end
  return #jobs, #members == limit and not isStuck
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
  ENDING,
  CLAIMED_FIELDS,
  TAKE_OVER,
  /* lua */ `
local worker, claim, limit, leaseMs, below, isAlone = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6] == '1'
local most = below == '' and score(SUSPECT, 0) or below

${FREEING}
local takenOver, again = takeOverExpired(${STEP})
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

local jobs, untilEnd, isFull = {}, text(now + tonumber(leaseMs)), false
local list = own('claim:' .. worker .. '/' .. claim)

local function give(job)
  unwait(job)
  local epoch = text(math.max((tonumber(job.epoch or 0) or 0) + 1, micros))
  local attempt = text(tonumber(job.attempt) + 1)
  leave(job)
  call('HSET', job.key, 'epoch', epoch, 'claim', claim, 'attempt', attempt, 'ats', attempt, 'pb', worker,
    'processedOn', text(now), 'leaseUntil', untilEnd)
  enter(job, 'PROCESSING')
  call('LPUSH', ofQueue(job.queue, 'active'), job.id)
  call('ZADD', own('leases'), untilEnd, job.member)
  -- BullMQ's own remove() is refused while there is a lock. Ours is the lease.
  call('SET', job.key .. ':lock', worker, 'PX', leaseMs)
  call('RPUSH', list, job.member)
  event(job, 'active', 'prev', 'waiting')
  jobs[#jobs + 1] = claimed(job)
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
  table.sort(choice, function(a, b) return a.score < b.score end)
  return { unpack(choice, 1, math.min(at_most, #choice)) }
end

-- A stray has a score of BullMQ's own until it is taken in: then the choice is made again.
local function isOurs(each)
  local job = load(named(each.want.queue, each.id),
    { 'number', 'order', 'state', 'tenant', 'epoch', 'attempt', 'suspect', 'rank' })
  each.job = job
  if job.state == 'QUEUED' then return true end
  call('ZREM', ofQueue(job.queue, 'prioritized'), job.id)
  call('ZREM', own('suspects:' .. job.queue), job.id)
  admit(job)
  return false
end

local function suspectsOf(queue) return own('suspects:' .. queue) end
local function dueOf(queue) return ofQueue(queue, 'prioritized') end

local taking = isAlone and math.min(1, limit) or math.min(limit, ${STEP})
if not again and taking > 0 then
  local choice = choose(isAlone and suspectsOf or dueOf, taking)
  for _, each in ipairs(choice) do
    if not isOurs(each) then again = true end
  end
  for _, each in ipairs(again and {} or choice) do
    give(each.job)
    each.want.given = each.want.given + 1
  end
  if #jobs > 0 then call('PEXPIRE', list, math.max(60000, tonumber(leaseMs))) end
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
publish()
return { again and 1 or 0, text(now), takenOver, takenFrom, lost, jobs, isFull and 1 or 0, hasSuspects, text(nextDue),
  found }
`,
);

/** ARGV: worker, claim. Answers [now, jobs]: what the claim gave and is still held. */
const REPLAY = script(
  CLAIMED_FIELDS,
  /* lua */ `
local jobs = {}
for _, member in ipairs(call('LRANGE', own('claim:' .. ARGV[1] .. '/' .. ARGV[2]), 0, -1)) do
  local job = load(ofMember(member), { 'state', 'claim', 'pb', 'leaseUntil' })
  if job.state == 'PROCESSING' and job.claim == ARGV[2] and job.pb == ARGV[1] and tonumber(job.leaseUntil) >= now then
    jobs[#jobs + 1] = claimed(job)
  end
end
return { text(now), jobs }
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
