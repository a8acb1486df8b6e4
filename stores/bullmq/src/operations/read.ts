import {
  type Count,
  type Filter,
  type Inspection,
  type Job,
  type JobId,
  type JobState,
  type JobSummary,
  type ListParams,
  MillraceError,
  fitsFilter,
} from '@millrace/engine';
import { type Context, type Script, list, partsOf, script, textOf } from '../context.ts';
import { SUMMARY, toJob, toSummary } from '../fields.ts';
import { WAITING } from '../lua/waiting.ts';
import { kindOf, numberOf } from '../names.ts';

/** The jobs that one call reads: 1,000 block Redis for about 3 ms. */
const PAGE = 500;

const READING = /* lua */ `
local SUMMARY = { ${SUMMARY.map((name) => `'${name}'`).join(', ')} }

local AT = {}
for index, name in ipairs(SUMMARY) do AT[name] = index end

local function summary(job)
  local values = call('HMGET', job.key, unpack(SUMMARY))
  if values[AT.state] == 'PROCESSING' then values[AT.leaseUntil] = call('ZSCORE', own('leases'), job.member) end
  return { job.queue, unpack(values, 1, #SUMMARY) }
end

local function whole(job)
  return { summary(job), call('HGET', job.key, 'data'), call('HGET', job.key, 'returnvalue'),
    call('LRANGE', own('executions:' .. job.member), 0, -1) }
end
`;

const NOW = script(/* lua */ `return text(now)`);

/** ARGV[1]: a number. */
const GET = script(
  READING,
  /* lua */ `
local job = find(ARGV[1])
return job and whole(job)
`,
);

/** ARGV[1]: numbers. */
const SUMMARIES = script(
  READING,
  /* lua */ `
local found = {}
for _, number in ipairs(cjson.decode(ARGV[1])) do
  local job = find(number)
  if job then found[#found + 1] = summary(job) end
end
return found
`,
);

/** ARGV: index, '(number' to go on from, how many. Answers [numbers, summaries]. */
function pageScript(range: string): Script {
  return script(
    READING,
    /* lua */ `
local rows = call('${range}', own(ARGV[1]), ARGV[2], ARGV[3], 'WITHSCORES', 'LIMIT', 0, ARGV[4])
local numbers, found = {}, {}
for index = 1, #rows, 2 do
  found[#found + 1] = summary(ofMember(rows[index]))
  numbers[#numbers + 1] = rows[index + 1]
end
return { numbers, found }
`,
  );
}

const NEWEST_FIRST = pageScript('ZREVRANGEBYSCORE');
const OLDEST_FIRST = pageScript('ZRANGEBYSCORE');

/** Brings every queue up to date first: what fell due is not scheduled any more. Answers [again, counts]. */
const COUNTS = script(
  WAITING,
  /* lua */ `
local again = 0
for _, queue in ipairs(call('SMEMBERS', own('kinds'))) do
  if not faultOf(queue) and tend(queue) then again = 1 end
end
finishScript()
return { again, call('HGETALL', own('counts')) }
`,
);

/** ARGV[1]: a number. Answers [job, now, paused, ahead, suspect, running of the tenant]. */
const INSPECT = script(
  WAITING,
  READING,
  /* lua */ `
local job = find(ARGV[1])
if not job then return false end
if not faultOf(job.queue) then promote(job.queue, 200) end
finishScript()
load(job, { 'number', 'order', 'state', 'prio', 'tenant', 'suspect' })
if not job.number then return false end
local ahead = 0
if job.state == 'QUEUED' then
  ahead = call('ZCOUNT', ofQueue(job.queue, 'prioritized'), '-inf', '(' .. score(rankOf(job.prio), job.order))
end
return { whole(job), text(now), call('HEXISTS', ofQueue(job.queue, 'meta'), 'paused'), ahead, job.suspect and 1 or 0,
  call('HGET', own('counts'), 'PROCESSING:' .. job.queue .. ':' .. (job.tenant or '')) }
`,
);

export async function now(context: Context): Promise<number> {
  return Number(await context.run(NOW));
}

export async function get(context: Context, { id }: { id: JobId }): Promise<Job | null> {
  const number = numberOf(id);
  return number === null ? null : toJob(await context.run(GET, number));
}

export async function summaries(
  context: Context,
  { ids }: { readonly ids: readonly JobId[] },
): Promise<JobSummary[]> {
  const numbers = [...new Set(ids)].flatMap((id) => numberOf(id) ?? []);
  const found: JobSummary[] = [];
  for (const part of partsOf(numbers, PAGE)) {
    const rows = list(await context.run(SUMMARIES, JSON.stringify(part)));
    found.push(...rows.flatMap((row) => toSummary(row) ?? []));
  }
  return found;
}

/** The cursor is the number of the last job of the page before: later jobs have higher ones and disturb nothing. */
export async function listJobs(
  context: Context,
  { filter, limit, cursor }: ListParams,
): Promise<{ jobs: JobSummary[]; next: string | null }> {
  const found: JobSummary[] = [];
  const options = { size: limit + 1, ...(cursor !== undefined && { from: readCursor(cursor) }) };
  const at = await momentOf(context, filter);
  for await (const page of pages(context, filter, options)) {
    found.push(...page.filter((job) => fitsFilter(job, filter, at)));
    if (found.length > limit) break;
  }
  const jobs = found.slice(0, limit);
  const last = jobs.at(-1);
  return {
    jobs,
    next: last === undefined || found.length <= limit ? null : numberOf(last.id),
  };
}

/** Only phases are judged by the clock. */
export async function momentOf(context: Context, { phases }: Filter): Promise<number> {
  return phases === undefined ? 0 : now(context);
}

/**
 * The jobs of the index that is nearest to the filter, page by page. The filter is applied by the caller, here: a script that
 * looks for the few among many would hold everyone up.
 */
export async function* pages(
  context: Context,
  filter: Filter,
  options: {
    readonly from?: string;
    readonly oldestFirst?: boolean;
    /** At the least; a filter may leave out much. */
    readonly size?: number;
  } = {},
): AsyncGenerator<JobSummary[]> {
  if (filter.tenants?.length === 0) return;
  const { oldestFirst = false } = options;
  const isFiltered = Object.values(filter).some((part) => part !== undefined);
  const size = isFiltered ? PAGE : Math.min(PAGE, options.size ?? PAGE);
  const pageOf = oldestFirst ? OLDEST_FIRST : NEWEST_FIRST;
  const end = oldestFirst ? '+inf' : '-inf';
  let from = options.from === undefined ? (oldestFirst ? '-inf' : '+inf') : `(${options.from}`;
  while (true) {
    const reply = list(await context.run(pageOf, indexOf(filter), from, end, size));
    const numbers = list(reply[0]);
    yield list(reply[1]).flatMap((row) => toSummary(row) ?? []);
    const last = textOf(numbers.at(-1));
    if (last === null || numbers.length < size) return;
    from = `(${last}`;
  }
}

function indexOf({ correlationId = '', state }: Filter): string {
  if (correlationId !== '') return `correlation:${correlationId}`;
  return state === undefined || state === 'SUCCEEDED' ? 'all' : `state:${state}`;
}

export async function counts(context: Context): Promise<Count[]> {
  while (true) {
    const [again, rows] = list(await context.run(COUNTS));
    if (again === 1) continue;
    return countsOf(list(rows).map(String));
  }
}

/** Each as `STATE:queue:tenant`; SCHEDULED counts those of QUEUED that are not due yet. */
function countsOf(rows: readonly string[]): Count[] {
  const numbers = new Map<string, number>();
  for (let index = 0; index < rows.length; index += 2)
    numbers.set(rows[index] ?? '', Number(rows[index + 1]));
  const found: Count[] = [];
  for (const [field, count] of numbers) {
    const [, state = '', subqueue = ''] = /^([A-Z]+):(.*)$/s.exec(field) ?? [];
    if (state === 'SCHEDULED') continue;
    const colon = subqueue.indexOf(':');
    found.push({
      kind: kindOf(subqueue.slice(0, colon)),
      tenant: subqueue.slice(colon + 1),
      state: state as JobState,
      count,
      scheduled: state === 'QUEUED' ? (numbers.get(`SCHEDULED:${subqueue}`) ?? 0) : 0,
    });
  }
  return found;
}

const AHEAD_LIMIT = 1_000;

export async function inspect(context: Context, { id }: { id: JobId }): Promise<Inspection | null> {
  const number = numberOf(id);
  if (number === null) return null;
  const [whole, at, paused, ahead, suspect, running] = list(await context.run(INSPECT, number));
  const job = toJob(whole ?? null);
  if (job === null) return null;
  return {
    job,
    now: Number(at),
    kindPaused: paused === 1,
    ahead: Math.min(AHEAD_LIMIT, Number(ahead)),
    suspect: suspect === 1,
    runningOfTenant: Number(running ?? 0),
  };
}

function readCursor(cursor: string): string {
  if (!/^[1-9]\d{0,15}$/.test(cursor))
    throw new MillraceError(
      'invalid_cursor',
      'The cursor is not one that a list has given. Start from the first page.',
    );
  return cursor;
}
