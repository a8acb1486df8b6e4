import type { Cut } from '../world/link.ts';
import type { Dice } from '../random.ts';

/** Actions of people and of fate while the workers work. Each has its end, which comes with the calm at the latest. */
export type Action =
  | { readonly type: 'cancel' | 'retry'; readonly share: number }
  /** Someone changes their mind, and back. */
  | { readonly type: 'cancelThenRetry'; readonly share: number; readonly forMs: number }
  | { readonly type: 'cancelWhere' | 'retryWhere'; readonly kind: string }
  | { readonly type: 'erase'; readonly subject: string }
  /** The database falls back to a copy that lacks the commits of the last milliseconds. */
  | { readonly type: 'failOver'; readonly lostMs: number }
  | { readonly type: 'pauseKind'; readonly kind: string; readonly forMs: number }
  | {
      readonly type: 'pauseWorker' | 'crash' | 'freeze' | 'stop';
      readonly worker: number;
      readonly forMs: number;
    }
  | { readonly type: 'cut'; readonly worker: number; readonly way: Cut; readonly forMs: number };

/** Whom the jobs of a simulation are about, where they are about someone. */
export const SUBJECTS: [string, ...string[]] = ['ann', 'bob'];

export function drawActions(
  dice: Dice,
  { workers, kinds, chaosMs }: { workers: number; kinds: readonly string[]; chaosMs: number },
): { atMs: number; action: Action }[] {
  const count = dice.integer(0, 14);
  return Array.from({ length: count }, () => ({
    atMs: dice.between(0, chaosMs),
    action: drawAction(
      dice,
      dice.integer(0, workers - 1),
      kinds[dice.integer(0, kinds.length - 1)] ?? 'plain',
    ),
  }));
}

function drawAction(dice: Dice, worker: number, kind: string): Action {
  // Mostly short, at times longer than any lease.
  const forMs = dice.chance(0.5) ? dice.between(100, 5_000) : dice.between(5_000, 45_000);
  const type = dice.pick<Action['type']>([
    'cancel',
    'cancelThenRetry',
    'retry',
    'cancelWhere',
    'retryWhere',
    'erase',
    'failOver',
    'pauseKind',
    'pauseWorker',
    'crash',
    'freeze',
    'freeze',
    'stop',
    'cut',
    'cut',
  ]);
  switch (type) {
    case 'cancel':
    case 'retry':
      return { type, share: dice.between(0, 0.6) };
    case 'cancelThenRetry':
      return { type, share: dice.between(0, 0.6), forMs };
    case 'cancelWhere':
    case 'retryWhere':
      return { type, kind };
    case 'erase':
      return { type, subject: dice.pick(SUBJECTS) };
    case 'failOver':
      return { type, lostMs: dice.between(1, 5_000) };
    case 'pauseKind':
      return { type, kind, forMs };
    case 'cut':
      return { type, worker, way: dice.pick(['both', 'requests', 'answers']), forMs };
    default:
      return { type, worker, forMs };
  }
}
