import type { Enqueued, NewJob } from '@millrace/engine';
import { type Context, jsonPartsOf, list, script } from '../context.ts';
import { specOf } from '../fields.ts';
import { MAKING } from '../lua/making.ts';
import { WAITING } from '../lua/waiting.ts';
import { jobId } from '../names.ts';

/** ARGV[1]: the specs of the jobs (fields.ts). Answers [number, 1 if made] for each. */
const ENQUEUE = script(
  WAITING,
  MAKING,
  /* lua */ `
local specs = cjson.decode(ARGV[1])
demandSoundFor(specs)
local made = makeAll(specs)
finishScript()
return made
`,
);

/** All jobs are checked before the first is written. More than a hundred, or a megabyte, are written in several steps. */
export async function enqueue(
  context: Context,
  { jobs }: { readonly jobs: readonly NewJob[] },
): Promise<Enqueued[]> {
  const specs = jobs.map(specOf);
  const enqueued: Enqueued[] = [];
  for (const part of jsonPartsOf(specs)) {
    const answers = list(await context.write(ENQUEUE, part));
    for (const answer of answers) {
      const [number, made] = list(answer);
      enqueued.push({ id: jobId(String(number)), created: made === 1 });
    }
  }
  await context.confirm();
  return enqueued;
}
