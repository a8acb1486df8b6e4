/** How a job comes about, alone or as the child of one that settles. */
export const MAKING = /* lua */ `
local function demandSoundFor(specs)
  for _, spec in ipairs(specs) do demandSound(spec[1]) end
end

-- Gives the number of the job, and 1 where it was made just now: a live job with the key is given back, and so is one
-- that succeeded within the window. Any other gives the key up.
local function make(spec)
  local queue, rank, dueBy, dueMs, uniqueKey, keyWindow, tenant, correlationId, subject, fields = unpack(spec)
  if uniqueKey ~= '' then
    local holder = find(call('HGET', own('keys'), uniqueKey))
    if holder then
      load(holder, { 'number', 'state', 'finishedOn' })
      local isLive = holder.state and not FINISHED[holder.state]
      -- A tool of BullMQ that had it run again took the time of its end away.
      local isFresh = holder.state == 'SUCCEEDED' and
        (not holder.finishedOn or now - tonumber(holder.finishedOn) < tonumber(keyWindow))
      if isLive or isFresh then return holder.number, 0 end
      call('HDEL', holder.key, 'uniqueKey', 'keyWindow')
    end
  end
  local number, order = newNumber(queue)
  local job = named(queue, 'bull-' .. number)
  job.number, job.order, job.rank, job.tenant = number, order, rank, tenant
  call('HSET', job.key, 'number', number, 'order', order, 'timestamp', text(now), 'attempt', '0', unpack(fields))
  call('ZADD', own('all'), number, job.member)
  call('SADD', own('kinds'), queue)
  if uniqueKey ~= '' then call('HSET', own('keys'), uniqueKey, number) end
  if correlationId ~= '' then call('ZADD', own('correlation:' .. correlationId), number, job.member) end
  if subject ~= '' then call('ZADD', own('subject:' .. subject), number, job.member) end
  keepNames(job, tenant, uniqueKey, correlationId, subject)
  event(job, 'added', 'name', queue)
  enter(job, 'QUEUED')
  local runAt = now
  if dueBy == 'at' then runAt = tonumber(dueMs) elseif dueBy == 'after' then runAt = now + tonumber(dueMs) end
  wait(job, runAt)
  return number, 1
end
`;
