import type { Lease, RenewAnswer } from '@millrace/engine';
import { type Context, list, partsOf, script } from '../context.ts';
import { FREEING } from '../lua/base.ts';
import { ENDING } from '../lua/ending.ts';
import { WAITING } from '../lua/waiting.ts';
import { numberOf } from '../names.ts';

/** ARGV: lease in ms, leases as [number, lease]. */
const RENEW = script(
  WAITING,
  ENDING,
  FREEING,
  /* lua */ `
local answers, untilEnd = {}, text(now + tonumber(ARGV[1]))
for index, lease in ipairs(cjson.decode(ARGV[2])) do
  local job = find(lease[1])
  if not job or not holds(load(job, { 'state', 'lease', 'cancelRequested' }), lease[2]) then
    answers[index] = 'stale'
  else
    call('HSET', job.key, 'renewed', lease[2])
    later('ZADD', own('leases'), untilEnd, job.member)
    answers[index] = job.cancelRequested and 'cancel' or 'renewed'
  end
end
flush()
return answers
`,
);

export async function renew(
  context: Context,
  { leases, leaseMs }: { readonly leases: readonly Lease[]; readonly leaseMs: number },
): Promise<RenewAnswer[]> {
  const answers: RenewAnswer[] = [];
  for (const part of partsOf(leases)) {
    const reply = await context.run(RENEW, leaseMs, JSON.stringify(part.map(leaseArguments)));
    answers.push(...(list(reply) as RenewAnswer[]));
  }
  return answers;
}

/** The number, and the lease as the hash of the job has it. No job has the number 0. */
export function leaseArguments({ id, epoch, claim }: Lease): [string, string] {
  return [numberOf(id) ?? '0', `${epoch}:${claim}`];
}
