import { type Duration, type RetryPolicy, toMs } from '@millrace/engine';

/** A retry policy as people say it: "3 retries, after 1 min, 5 min and 15 min". */
export function policyInWords(policy: RetryPolicy): string {
  switch (policy.backoff) {
    case 'steps':
      return policy.delays.length === 0
        ? 'no retries'
        : `${retries(policy.delays.length)}, after ${list(policy.delays.map(timeInWords))}`;
    case 'linear':
      return `${retries(policy.retries)}, after ${firstDelays(policy).join(', ')}`;
    case 'exponential':
      return `${retries(policy.retries)}, after ${timeInWords(policy.base)}, doubling up to ${timeInWords(policy.max)}, ±${Math.round(policy.jitter * 100)} %`;
  }
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

export function timeInWords(duration: Duration): string {
  const ms = toMs(duration);
  const [unit, factor] = UNITS.find(([, size]) => ms >= size && ms % size === 0) ?? ['ms', 1];
  return `${ms / factor} ${unit}`;
}

/** Up to three delays of a linear policy, and an ellipsis where there are more: "1 s", "2 s", "3 s", "…". */
function firstDelays(policy: { retries: number; step: Duration }): readonly string[] {
  const shown = Array.from({ length: Math.min(policy.retries, 3) }, (_, at) =>
    timeInWords((at + 1) * toMs(policy.step)),
  );
  return policy.retries > 3 ? [...shown, '…'] : shown;
}

function retries(count: number): string {
  return count === 1 ? 'one retry' : `${count} retries`;
}

function list(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
