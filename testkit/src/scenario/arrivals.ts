import type { Duration, JobRequest } from '@millrace/engine';
import { SUBJECTS } from './actions.ts';
import type { Data } from './handlers.ts';
import type { KindName } from './kinds.ts';
import type { Dice } from '../random.ts';

/** Who asks for what and when. Requests come in clumps: one person, one kind, one moment. */
export function drawRequests(
  dice: Dice,
  kinds: readonly KindName[],
  chaosMs: number,
): { atMs: number; request: JobRequest }[] {
  const clumps = dice.integer(2, 14);
  const isBurst = dice.chance(0.3);
  const moments = Array.from({ length: clumps }, () =>
    isBurst ? dice.between(0, 500) : dice.between(0, chaosMs * 0.8),
  );
  return moments.flatMap((moment, clump) => {
    const kind = kinds[dice.integer(0, kinds.length - 1)] ?? 'plain';
    const tenant = dice.pick(['', 'red', 'blue']);
    const key = dice.chance(0.2)
      ? { key: `key ${dice.integer(1, 3)}`, keyWindow: dice.pick<Duration>([1, '5s', '1h']) }
      : {};
    return Array.from({ length: dice.integer(1, 4) }, (_, index) => ({
      atMs: moment + dice.between(0, 3_000),
      request: { ...drawRequest(dice, kind, `r${clump}.${index}`), tenant, ...key },
    }));
  });
}

function drawRequest(dice: Dice, kind: KindName, tag: string): JobRequest {
  return {
    kind,
    data: { tag, ...drawData(dice, kind) },
    ...(dice.chance(0.4) && { priority: dice.integer(-2, 2) }),
    ...(dice.chance(0.15) && { delay: dice.integer(100, 30_000) }),
    ...(dice.chance(0.1) && { webhook: 'https://example.org/hook' }),
    ...(dice.chance(0.3) && { subject: dice.pick(SUBJECTS) }),
  };
}

function drawData(dice: Dice, kind: KindName): Partial<Data> {
  const short = { ms: dice.between(1, 1_000), stepMs: dice.between(20, 500) };
  const fails = dice.chance(0.5) ? 0 : dice.integer(1, 5);
  switch (kind) {
    case 'flaky':
    case 'fragile':
      return { ...short, fails: dice.integer(1, 5), permanent: dice.chance(0.2) };
    case 'slow':
      return {
        ms: dice.between(3_000, 50_000),
        stepMs: dice.between(100, 1_500),
        deaf: dice.chance(0.2),
      };
    case 'hung':
      return { ms: 1, stepMs: dice.between(200, 2_000), forever: true, deaf: dice.chance(0.5) };
    case 'poller':
      return { ...short, left: dice.integer(1, 5), fails };
    case 'chunked':
      return {
        ...short,
        chunks: dice.integer(1, 6),
        children: dice.integer(0, 2),
        failsAt: dice.integer(1, 6),
        fails,
      };
    case 'family':
      return { ...short, children: dice.integer(1, 3), fails };
    case 'north':
    case 'south':
    case 'west':
      return { ...short, group: dice.pick(['x', 'y', 'z']), fails };
    case 'tenanted':
      return { ms: dice.between(100, 5_000), stepMs: dice.between(20, 500), fails };
    case 'deadly':
      return { ...short, fails: dice.integer(0, 3) };
    default:
      return { ...short, fails };
  }
}
