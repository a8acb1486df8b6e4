/** A timer of virtual time. `sequence` orders those of one moment by when they were set. */
export interface Timer {
  readonly time: number;
  readonly sequence: number;
  /** Null once taken back: it stays in the heap until its turn, since a heap has no cheap removal. */
  fire: (() => void) | null;
}

export interface TimerHeap {
  push(timer: Timer): void;
  peek(): Timer | undefined;
  pop(): Timer | undefined;
}

export function createTimerHeap(): TimerHeap {
  const timers: Timer[] = [];

  function push(timer: Timer): void {
    let index = timers.length;
    timers.push(timer);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = timers[above];
      if (parent === undefined || comesFirst(parent, timer)) break;
      timers[index] = parent;
      index = above;
    }
    timers[index] = timer;
  }

  function pop(): Timer | undefined {
    const first = timers[0];
    const last = timers.pop();
    if (last !== undefined && timers.length > 0) sink(last);
    return first;
  }

  function sink(timer: Timer): void {
    let index = 0;
    for (;;) {
      const left = timers[2 * index + 1];
      const right = timers[2 * index + 2];
      if (left === undefined) break;
      const goesRight = right !== undefined && comesFirst(right, left);
      const child = goesRight ? right : left;
      if (comesFirst(timer, child)) break;
      timers[index] = child;
      index = 2 * index + (goesRight ? 2 : 1);
    }
    timers[index] = timer;
  }

  return { push, pop, peek: () => timers[0] };
}

function comesFirst(a: Timer, b: Timer): boolean {
  return a.time < b.time || (a.time === b.time && a.sequence < b.sequence);
}
