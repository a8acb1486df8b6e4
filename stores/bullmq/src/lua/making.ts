/** How a job comes about, alone or as the child of one that settles. */
export const MAKING = /* lua */ `
local function demandSoundFor(specs)
  for _, spec in ipairs(specs) do demandSound(spec[1]) end
end

-- Gives the number of the job, and 1 where it was made just now: a live job with the key is given back, and so is one
-- that succeeded within the window. Any other gives the key up.
local function make(spec, number, order)
  local queue, kind, data, maxAttempts, priority, dueBy, dueMs, uniqueKey, keyWindow, tenant, correlationId, subject, ownName, rare =
    unpack(spec)
  if uniqueKey ~= '' then
    local held = call('HGET', own('keys'), uniqueKey)
    -- The holder may be a job that this script has made.
    if held then flush() end
    local holder = find(held)
    if holder then
      load(holder, { 'number', 'state', 'finishedOn' })
      local isLive = holder.state and not FINISHED[holder.state]
      -- A tool of BullMQ that had it run again took the time of its end away.
      local isFresh = holder.state == 'SUCCEEDED' and
        (not holder.finishedOn or now - tonumber(holder.finishedOn) < tonumber(keyWindow))
      if isLive or isFresh then return holder.number, 0 end
      call('HDEL', holder.key, 'uniqueKey', 'keyWindow')
    end
    call('HSET', own('keys'), uniqueKey, number)
  end
  local job = named(queue, ownName ~= '' and ownName or 'bull-' .. number)
  -- Another tenant's job with the same key, or one that ended and is kept, has the name.
  if ownName ~= '' and call('EXISTS', job.key) == 1 then job = named(queue, 'bull-' .. number) end
  job.number, job.order, job.tenant, job.prio = number, order, tenant, priority ~= '' and priority
  later('ZADD', own('all'), number, job.member)
  if correlationId ~= '' then later('ZADD', own('correlation:' .. correlationId), number, job.member) end
  if subject ~= '' then later('ZADD', own('subject:' .. subject), number, job.member) end
  if tenant .. uniqueKey .. correlationId .. subject ~= '' then
    keepNames(job, tenant, uniqueKey, correlationId, subject)
  end
  event(job, 'added', 'name', queue)
  local runAt = now
  if dueBy == 'at' then runAt = tonumber(dueMs) elseif dueBy == 'after' then runAt = now + tonumber(dueMs) end
  local rank = text(rankOf(job.prio))
  wait(job, runAt, 'number', number, 'order', order, 'timestamp', nowText, 'name', kind, 'data', data,
    'opts', '{"attempts":' .. maxAttempts .. ',"priority":' .. rank .. '}', 'priority', rank, 'maxAttempts', maxAttempts,
    unpack(rare))
  return number, 1
end

-- Gives what make gives, for each. The queues are sound.
local function makeAll(specs)
  local made, seen = {}, {}
  for _, spec in ipairs(specs) do
    if not seen[spec[1]] then call('SADD', own('kinds'), spec[1]) end
    seen[spec[1]] = true
  end
  -- So many keys are looked at by one call.
  for from = 1, #specs, 1000 do
    local queues = {}
    for index = from, math.min(#specs, from + 999) do queues[#queues + 1] = specs[index][1] end
    local numbers, order = newNumbers(queues)
    for index, number in ipairs(numbers) do
      made[#made + 1] = { make(specs[from + index - 1], number, text(order + index - 1)) }
    end
  end
  return made
end
`;
