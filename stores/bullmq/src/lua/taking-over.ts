import { TAKEN_TOLD } from '@millrace/engine';

/** Takes leases over whose time is over: see `Claimed` in the port. Adds to `lost` and `takenFrom` of the script. */
export const TAKING_OVER = /* lua */ `
local function takeOver(job)
  load(job, REST)
  job.ats = job.ats or '0'
  local failure = { code = 'worker_lost', retryable = '0',
    message = 'The worker ' .. (job.pb or '') .. ' stopped renewing its lease during attempt ' .. job.ats ..
      ': it died, froze or was cut off. The job may be the cause (memory, a crash): look at the log of the worker ' ..
      'before you retry it.' }
  release(job)
  -- What is lost was not settled: its epoch is kept, for the next to be higher.
  local isRenewed = job.renewed == job.lease
  call('HSET', job.key, 'lease', string.match(job.lease or '0', '^%d+') .. ':')
  keepExecution(job, 'lost', failure)
  if job.cancelRequested then return cancelJob(job) end
  local attempt = tonumber(job.ats)
  local isLast = isRenewed and attempt >= tonumber(job.maxAttempts)
  if isLast and job.suspect then
    lost[#lost + 1] = { job.number, job.queue, job.ats, call('HGET', job.key, 'correlationId') }
    return fail(job, failure)
  end
  call('HSET', job.key, 'suspect', '1')
  job.suspect = '1'
  event(job, 'stalled')
  putBack(job, (isRenewed and not isLast) and attempt or attempt - 1, now)
end

-- Oldest job first. True: there may be more.
local function takeOverAll(members, limit)
  local jobs, isStuck = {}, true
  for _, member in ipairs(members) do
    local job = load(ofMember(member), HELD)
    if not faultOf(job.queue) then
      isStuck = false
      if job.state == 'PROCESSING' then
        jobs[#jobs + 1] = job
      else
        later('ZREM', own('leases'), member)
        unlock(job)
      end
    end
  end
  table.sort(jobs, function(a, b) return tonumber(a.number) < tonumber(b.number) end)
  for index, job in ipairs(jobs) do
    takeOver(job)
    if index <= ${TAKEN_TOLD} then takenFrom[index] = { job.number, job.pb or '' } end
  end
  return #jobs, #members == limit and not isStuck
end
`;
