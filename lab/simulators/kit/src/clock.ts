import { inputField } from './faults-section.ts';
import { html, type Html } from './html.ts';

/** A simulator's clock: real time, or the one given, plus what `advance` added. Nothing else moves it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  advance(ms: number): void;
  /** The total that `advance` has added. */
  readonly offset: number;
  /** Calls back once the clock has moved on by so much. The answer takes the call back. */
  after(ms: number, call: () => void): () => void;
}

interface Alarm {
  readonly at: number;
  readonly call: () => void;
}

/** `speed` is how many milliseconds of the clock pass in one of real time. */
export function createClock(source: () => number, speed = 1): Clock {
  const begun = source();
  let offset = 0;
  const alarms = new Map<Alarm, NodeJS.Timeout>();
  const now = (): number => begun + (source() - begun) * speed + offset;

  /** A timer is only a reminder to look at the clock: a clock that stands still rings no alarm. */
  function arm(alarm: Alarm): void {
    const look = (): void => (now() < alarm.at ? arm(alarm) : ring(alarm));
    const wait = Math.min(LONGEST_TIMER, Math.max(1, (alarm.at - now()) / speed));
    alarms.set(alarm, setTimeout(look, wait).unref());
  }

  function ring(alarm: Alarm): void {
    disarm(alarm);
    alarm.call();
  }

  function disarm(alarm: Alarm): void {
    clearTimeout(alarms.get(alarm));
    alarms.delete(alarm);
  }

  function earliest(): Alarm | null {
    let first: Alarm | null = null;
    for (const alarm of alarms.keys()) if (first === null || alarm.at < first.at) first = alarm;
    return first;
  }

  return {
    now,
    get offset() {
      return offset;
    },
    /** Alarms ring in their order, each at its own moment: one that sets the next one off is not late for it. */
    advance(ms) {
      const target = now() + ms;
      for (let alarm = earliest(); alarm !== null && alarm.at <= target; alarm = earliest()) {
        offset += Math.max(0, alarm.at - now());
        ring(alarm);
      }
      offset += Math.max(0, target - now());
    },
    after(ms, call) {
      const alarm = { at: now() + ms, call };
      arm(alarm);
      return () => disarm(alarm);
    },
  };
}

/** Node fires a timer that is set for longer (2^31 ms, 25 days) at once. */
const LONGEST_TIMER = 2_147_483_647;

/** A thing that ends by the clock, and the form below `/_sim/` that ends it now. */
interface Ending {
  /** `sessions`, as the title names them. */
  readonly of: string;
  /** `sessions/expire`. */
  readonly form: string;
  /** The label of the button. */
  readonly label: string;
}

/** Forms that move the clock on, and end what would end by it. */
export function clockSection({ of, form, label }: Ending): Html {
  return html`<section>
    <h2>Clock and ${of}</h2>
    <div class="two">
      <form class="row" method="post" action="/_sim/advance">
        ${inputField('seconds', 'Seconds', 'number', '60')}
        <button class="second">Move the clock</button>
      </form>
      <form class="row" method="post" action="/_sim/${form}">
        <button class="second">${label}</button>
      </form>
    </div>
  </section>`;
}
