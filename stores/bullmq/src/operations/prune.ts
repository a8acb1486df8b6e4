import { type Keep, type PruneParams, type Pruned, type UpkeepPart } from '@millrace/engine';
import { type Context, list, script, textOf } from '../context.ts';
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
local ids = call('ZRANGEBYSCORE', set, '-inf', '(' .. text(now - shortest), 'LIMIT', ARGV[3], 200)
local removed = 0
for _, id in ipairs(ids) do
  local job = load(named(queue, id), { 'number', 'state', 'tenant', 'finishedOn', 'uniqueKey', 'keyWindow' })
  if job.number and FINISHED[job.state] then
    local age = now - tonumber(job.finishedOn)
    -- A request with the same key within the window gets this job.
    local isKeptForKey = job.state == 'SUCCEEDED' and job.uniqueKey and age < tonumber(job.keyWindow or 0)
    if age > keep[job.state] and not isKeptForKey then
      remove(job)
      removed = removed + 1
    end
  end
end
return { #ids, removed }
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

  /** One step of a sweep over all kinds. */
  async function prune(params: PruneParams): Promise<Pruned> {
    if (places.length === 0) places = await allPlaces(context);
    const [place] = places;
    if (place === undefined) return { count: 0, more: false };
    const { SUCCEEDED, FAILED, CANCELED } = keepOf(params, kindOf(place.queue));
    const { queue, set, kept } = place;
    const reply = await context.run(PRUNE, queue, set, kept, SUCCEEDED, FAILED, CANCELED);
    const [looked, removed] = list(reply).map(Number);
    const count = removed ?? 0;
    place.kept += (looked ?? 0) - count;
    if (looked === 0) places = places.filter((each) => each !== place);
    return { count, more: places.length > 0 };
  }

  return {
    prune,
    async maintain() {
      // Redis keeps its own house: claims bring the queues up to date.
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
