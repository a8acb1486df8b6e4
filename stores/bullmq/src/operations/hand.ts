import {
  type AmendPart,
  type Canceled,
  type Filter,
  type JobId,
  type JobState,
  type JobSummary,
  type Selection,
  fitsFilter,
  refuseUnstorableOutcome,
  statesBefore,
} from '@millrace/engine';
import { type Context, list, partsOf, script } from '../context.ts';
import { FREEING } from '../lua/base.ts';
import { ENDING } from '../lua/ending.ts';
import { WAITING } from '../lua/waiting.ts';
import { numberOf } from '../names.ts';
import { momentOf, pages } from './read.ts';

/** Actions of people on jobs. */

/** ARGV[1]: numbers. Answers `canceled`, `requested` or '' for each. */
const CANCEL = script(
  WAITING,
  ENDING,
  /* lua */ `
local function cancel(job)
  if job.state == 'QUEUED' then
    unwait(job)
    cancelJob(job)
    return 'canceled'
  end
  if job.state == 'FAILED' then
    enter(job, 'CANCELED', 'finishedOn', nowText)
    later('ZADD', ofQueue(job.queue, 'failed'), nowText, job.id)
    return 'canceled'
  end
  if job.state ~= 'PROCESSING' then return '' end
  call('HSET', job.key, 'cancelRequested', '1')
  canceledLeases[#canceledLeases + 1] =
    string.format('{"id":"bull-%s","epoch":%s,"claim":%s}', job.number, string.match(job.lease, '^(%d+):(.*)$'))
  return 'requested'
end

local answers, jobs = {}, findSound(cjson.decode(ARGV[1]))
${FREEING}
for index, job in ipairs(jobs) do
  answers[index] = job and cancel(load(load(job, HELD), REST)) or ''
end
finishScript()
return answers
`,
);

/** ARGV: numbers; new data, or ''. Answers 1 or 0 for each. */
const RETRY = script(
  WAITING,
  ENDING,
  /* lua */ `
local answers = {}
for index, job in ipairs(findSound(cjson.decode(ARGV[1]))) do
  answers[index] = 0
  if job then
    load(load(job, HELD), REST)
    local isRefused = ARGV[2] ~= '' and job.erased
    if (job.state == 'FAILED' or job.state == 'CANCELED') and not isRefused then
      if ARGV[2] ~= '' then call('HSET', job.key, 'data', ARGV[2]) end
      requeue(job)
      answers[index] = 1
    end
  end
end
finishScript()
return answers
`,
);

/** ARGV[1]: a number. */
const REMOVE = script(
  WAITING,
  ENDING,
  /* lua */ `
local job = findSound({ ARGV[1] })[1]
if not job or not FINISHED[load(job, HELD).state] then return 0 end
${FREEING}
remove(job)
finishScript()
return 1
`,
);

export async function cancel(context: Context, { select }: Selection): Promise<Canceled> {
  const canceled: JobId[] = [];
  const requested: JobId[] = [];
  const ask = async (ids: readonly JobId[]): Promise<number> => {
    const answers = list(await context.run(CANCEL, numbersOf(ids)));
    ids.forEach((id, index) => {
      if (answers[index] === 'canceled') canceled.push(id);
      if (answers[index] === 'requested') requested.push(id);
    });
    return canceled.length + requested.length;
  };
  // By filter, a running job that was asked to stop already is passed over: else the same bulk call would never come to
  // an end.
  await forSelected(
    context,
    select,
    statesBefore('cancel'),
    (job) => !job.cancelRequested || job.state !== 'PROCESSING',
    ask,
  );
  return { canceled, requested };
}

export async function retry(
  context: Context,
  { select }: Selection,
): Promise<{ retried: number; ids: JobId[] }> {
  const ids: JobId[] = [];
  const ask = async (some: readonly JobId[]): Promise<number> => {
    const answers = list(await context.run(RETRY, numbersOf(some), ''));
    ids.push(...some.filter((_, index) => answers[index] === 1));
    return ids.length;
  };
  await forSelected(context, select, statesBefore('requeue'), () => true, ask);
  return { retried: ids.length, ids };
}

export function createAmend(context: Context): AmendPart {
  return {
    async retryWith({ id, payload }) {
      refuseUnstorableOutcome({ move: 'defer', payload, delayMs: 0 });
      const number = numberOf(id);
      if (number === null) return false;
      const [answer] = list(await context.run(RETRY, JSON.stringify([number]), payload));
      return answer === 1;
    },
    async remove({ id }) {
      const number = numberOf(id);
      return number !== null && (await context.run(REMOVE, number)) === 1;
    },
  };
}

/** Gives the selected jobs to `ask`, part by part, until it has moved as many as the limit says. */
async function forSelected(
  context: Context,
  select: Selection['select'],
  states: readonly JobState[],
  isOpen: (job: JobSummary) => boolean,
  ask: (ids: readonly JobId[]) => Promise<number>,
): Promise<void> {
  if ('ids' in select) {
    const ids = [...new Set(select.ids)].filter((id) => numberOf(id) !== null);
    for (const part of partsOf(ids)) await ask(part);
    return;
  }
  const { filter, limit } = select;
  let moved = 0;
  const at = await momentOf(context, filter);
  for (const state of states.filter((each) => (filter.state ?? each) === each)) {
    const filtered: Filter = { ...filter, state };
    for await (const page of pages(context, filtered, { oldestFirst: true })) {
      const fitting = page.filter((job) => fitsFilter(job, filtered, at) && isOpen(job));
      for (const part of partsOf(fitting)) {
        if (moved >= limit) return;
        moved = await ask(part.slice(0, limit - moved).map(({ id }) => id));
      }
    }
  }
}

function numbersOf(ids: readonly JobId[]): string {
  return JSON.stringify(ids.map((id) => numberOf(id) ?? '0'));
}
