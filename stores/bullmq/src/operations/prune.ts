import { type Keep, type PruneParams, type Pruned, type UpkeepPart } from '@millrace/engine';
import { type Context, list, script, textOf } from '../context.ts';
import { FREEING } from '../lua/base.ts';
import { ENDING } from '../lua/ending.ts';
import { WAITING } from '../lua/waiting.ts';
import { kindOf } from '../names.ts';

/**
 * ARGV: queue, set, how many at its front were looked at and kept, and how long SUCCEEDED, FAILED and CANCELED ones are
 * kept. Answers [looked at, removed]. What BullMQ's own worker ended before has no number here, and is left to its owner.
 */
const PRUNE = script(
  WAITING,
  ENDING,
  /* lua */ `
local queue, set = ARGV[1], ofQueue(ARGV[1], ARGV[2])
local keep = { SUCCEEDED = tonumber(ARGV[4]), FAILED = tonumber(ARGV[5]), CANCELED = tonumber(ARGV[6]) }
local shortest = ARGV[2] == 'completed' and keep.SUCCEEDED or math.min(keep.FAILED, keep.CANCELED)
if faultOf(queue) then return { 0, 0 } end
local ids = call('ZRANGEBYSCORE', set, '-inf', '(' .. text(now - shortest), 'LIMIT', ARGV[3], 200)
local removed = 0
${FREEING}
for _, id in ipairs(ids) do
  local job = load(named(queue, id), { 'number', 'state', 'tenant', 'finishedOn', 'uniqueKey', 'keyWindow', 'deid' })
  if job.number and FINISHED[job.state] then
    local age = now - tonumber(job.finishedOn or now)
    -- A request with the same key within the window gets this job.
    local isKeptForKey = job.state == 'SUCCEEDED' and job.uniqueKey and age < tonumber(job.keyWindow or 0)
    if age > keep[job.state] and not isKeptForKey then
      remove(job)
      removed = removed + 1
    end
  end
end
finishScript()
return { #ids, removed }
`,
);

/**
 * ARGV: '(number' to go on from. Answers [how many, the last number or false]. Jobs whose hash a tool of BullMQ has removed
 * are still in our indexes, by the names that somebody gave them.
 */
const SWEEP = script(
  WAITING,
  ENDING,
  /* lua */ `
local rows = call('ZRANGEBYSCORE', own('all'), ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, 200)
local removed, last = 0, false
${FREEING}
for index = 1, #rows, 2 do
  local job = ofMember(rows[index])
  last = rows[index + 1]
  if call('EXISTS', job.key) == 0 then
    forgetMissing(job, last)
    removed = removed + 1
  end
end
finishScript()
return { removed, last }
`,
);

const SETS = ['completed', 'failed'] as const;

interface Place {
  readonly queue: string;
  readonly set: (typeof SETS)[number];
  /** Looked at and kept. */
  kept: number;
}

export function createUpkeep(context: Context): UpkeepPart {
  let places: Place[] = [];
  let sweptTo: string | null = null;

  /** One step of a sweep over all kinds. */
  async function prune(params: PruneParams): Promise<Pruned> {
    if (sweptTo !== null) return sweep(sweptTo);
    if (places.length === 0) places = await allPlaces(context);
    const [place] = places;
    if (place === undefined) return sweep('-inf');
    const { SUCCEEDED, FAILED, CANCELED } = keepOf(params, kindOf(place.queue));
    const { queue, set, kept } = place;
    const reply = await context.run(PRUNE, queue, set, kept, SUCCEEDED, FAILED, CANCELED);
    const [looked, removed] = list(reply).map(Number);
    const count = removed ?? 0;
    place.kept += (looked ?? 0) - count;
    if (looked === 0) places = places.filter((each) => each !== place);
    if (places.length === 0) sweptTo = '-inf';
    return { count, more: true };
  }

  async function sweep(from: string): Promise<Pruned> {
    const [removed, last] = list(await context.run(SWEEP, from));
    const number = textOf(last);
    sweptTo = number === null ? null : `(${number}`;
    return { count: Number(removed), more: sweptTo !== null };
  }

  return {
    prune,
    async maintain() {
      // Nothing to do: claims bring the queues in Redis up to date.
    },
  };
}

const KINDS = script(/* lua */ `return call('SMEMBERS', own('kinds'))`);

async function allPlaces(context: Context): Promise<Place[]> {
  const queues = list(await context.run(KINDS)).flatMap((queue) => textOf(queue) ?? []);
  return queues.flatMap((queue) => SETS.map((set) => ({ queue, set, kept: 0 })));
}

function keepOf({ keep, otherwise }: PruneParams, kind: string): Keep {
  return (Object.hasOwn(keep, kind) ? keep[kind] : undefined) ?? otherwise;
}
