import { type Context, list, script, textOf } from '../context.ts';
import { FREEING } from '../lua/base.ts';
import { ENDING } from '../lua/ending.ts';
import { WAITING } from '../lua/waiting.ts';

/**
 * ARGV: subject, '(number' to go on from. Answers [how many, the last number or false]. What is said about a person goes;
 * that a job ran, when and with which end, stays. An event that names a result stays in BullMQ's stream until the stream is
 * trimmed, so the streams of the queues are emptied.
 */
const ERASE = script(
  WAITING,
  ENDING,
  /* lua */ `
local function blankExecutions(job)
  local key = own('executions:' .. job.member)
  for index, json in ipairs(call('LRANGE', key, 0, -1)) do
    local execution = cjson.decode(json)
    if execution.message then execution.message = '' end
    execution.stack = nil
    call('LSET', key, index - 1, cjson.encode(execution))
  end
end

local rows = call('ZRANGEBYSCORE', own('subject:' .. ARGV[1]), ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, 100)
local erased, last = 0, false
for index = 1, #rows, 2 do demandSound(ofMember(rows[index]).queue) end
${FREEING}
for index = 1, #rows, 2 do
  local job = load(ofMember(rows[index]), { 'number', 'state', 'errorCode' })
  last = rows[index + 1]
  erased = erased + 1
  call('XTRIM', ofQueue(job.queue, 'events'), 'MAXLEN', 0)
  if not job.number then
    forgetMissing(job, last)
  else
    local tenant, uniqueKey, correlationId, subject = namesOf(job)
    freeKey(job, uniqueKey)
    if FINISHED[job.state] then subject = '' end
    keepNames(job, tenant, '', correlationId, subject)
    call('HDEL', job.key, 'data', 'returnvalue', 'progress', 'stacktrace', 'uniqueKey', 'keyWindow', 'failedReason')
    if job.errorCode then call('HSET', job.key, 'failedReason', '') end
    call('HSET', job.key, 'erased', '1')
    if FINISHED[job.state] then
      call('HDEL', job.key, 'subject')
      later('ZREM', own('subject:' .. ARGV[1]), job.member)
    end
    call('DEL', job.key .. ':logs')
    blankExecutions(job)
  end
end
finishScript()
return { erased, last }
`,
);

export async function erase(context: Context, { subject }: { subject: string }): Promise<number> {
  let erased = 0;
  let from = '-inf';
  while (true) {
    const [count, last] = list(await context.run(ERASE, subject, from));
    erased += Number(count);
    const number = textOf(last);
    if (number === null) return erased;
    from = `(${number}`;
  }
}
