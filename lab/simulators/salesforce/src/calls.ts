import type { Clock } from '@millrace/simulator-kit';

/** API calls as Salesforce counts them: a batch counts each of its parts, a composite or a graph is one. */
export interface Calls {
  /** All since the start. */
  readonly total: number;
  /** By resource: `query`, `sobjects`, `composite`, `graph`, `apexrest` and so on. */
  readonly byResource: Readonly<Record<string, number>>;
  /** In the last 24 hours of the org's clock; what the limit is about. */
  readonly used: number;
  readonly max: number;
  /** Requests that reached the server, counted or not. */
  readonly requests: number;
}

export interface CallCounter {
  readonly calls: Calls;
  request(): void;
  count(resource: string, calls: number): void;
  readonly isExhausted: boolean;
}

const HOUR = 3_600_000;

export function createCalls(clock: Clock, max: number): CallCounter {
  const byResource: Record<string, number> = {};
  const hours = new Map<number, number>();
  let total = 0;
  let requests = 0;

  function used(): number {
    const first = Math.floor(clock.now() / HOUR) - 23;
    let sum = 0;
    for (const [hour, count] of hours) {
      if (hour < first) hours.delete(hour);
      else sum += count;
    }
    return sum;
  }

  return {
    calls: {
      get total() {
        return total;
      },
      byResource,
      get used() {
        return used();
      },
      max,
      get requests() {
        return requests;
      },
    },
    request: () => void (requests += 1),
    count(resource, calls) {
      const hour = Math.floor(clock.now() / HOUR);
      total += calls;
      byResource[resource] = (byResource[resource] ?? 0) + calls;
      hours.set(hour, (hours.get(hour) ?? 0) + calls);
    },
    get isExhausted() {
      return used() >= max;
    },
  };
}
