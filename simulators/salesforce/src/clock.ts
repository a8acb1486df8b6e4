/** The org's clock: real time, or the one given, plus what `advance` added. Nothing else moves it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  advance(ms: number): void;
  /** What `advance` has added in all. */
  readonly offset: number;
  /** Calls back once the clock has moved on by so much. The answer takes the call back. */
  after(ms: number, call: () => void): () => void;
}

interface Alarm {
  readonly at: number;
  readonly call: () => void;
}

export function createClock(source: () => number): Clock {
  let offset = 0;
  const alarms = new Map<Alarm, NodeJS.Timeout>();
  const now = (): number => source() + offset;

  /** A timer is only a reminder to look at the clock: a clock that stands still rings no alarm. */
  function arm(alarm: Alarm): void {
    const look = (): void => (now() < alarm.at ? arm(alarm) : ring(alarm));
    alarms.set(alarm, setTimeout(look, Math.max(1, alarm.at - now())).unref());
  }

  function ring(alarm: Alarm): void {
    disarm(alarm);
    alarm.call();
  }

  function disarm(alarm: Alarm): void {
    clearTimeout(alarms.get(alarm));
    alarms.delete(alarm);
  }

  return {
    now,
    get offset() {
      return offset;
    },
    advance(ms) {
      offset += ms;
      const due = [...alarms.keys()].filter(({ at }) => at <= now());
      for (const alarm of due.toSorted((a, b) => a.at - b.at)) ring(alarm);
    },
    after(ms, call) {
      const alarm = { at: now() + ms, call };
      arm(alarm);
      return () => disarm(alarm);
    },
  };
}

/** Salesforce keeps whole seconds. Fractions are cut. */
export function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
