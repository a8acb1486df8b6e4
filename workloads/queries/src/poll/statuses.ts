import type { Clock } from '@millrace/engine';
import { type BusinessUnit, MarketingCloudError, type TaskStatus } from '@millrace/marketing-cloud';
import type { Meter, Tally } from '../calls.ts';
import { type Answer, type Expected, createExpected } from './expected.ts';
import { later } from './signal.ts';

/**
 * Statuses of tasks, asked for together: one SOAP Retrieve with IN answers up to 100 polls of a business unit, those that ask
 * at the same time and those that will soon (expected.ts), and costs each its share. Whether Marketing Cloud honours IN here is
 * not documented: a task that such an answer leaves out is asked for alone, and where that finds it, the business unit is asked
 * for one task at a time from then on.
 */
export interface Statuses {
  ask(mid: string, taskId: string): Promise<TaskStatus | null>;
  /** A poll of the task comes after so many milliseconds. */
  expect(mid: string, taskId: string, afterMs: number): void;
}

export interface StatusesParams {
  readonly businessUnit: (mid: string) => Pick<BusinessUnit, 'taskStatuses'>;
  readonly meter: Meter;
  readonly clock: Clock;
  /** How long the first waits for others. Polls that were claimed together come within a few milliseconds. */
  readonly gatherMs: number;
  /** About how many tasks one call asked. */
  readonly onAsked?: (tasks: number) => void;
  /** Questions with IN were found to be answered in part. */
  readonly onApart?: (mid: string) => void;
}

/** As many as the connector puts into one call. */
const MOST = 100;
/** A task can also have been too new for the first of two answers: after an hour IN is tried again. */
const APART_MS = 3_600_000;

interface Waiting {
  readonly taskId: string;
  answer(answer: Answer): void;
  fail(error: unknown, share: number): void;
}

export function createStatuses(params: StatusesParams): Statuses {
  const { businessUnit, meter, clock, gatherMs, onAsked = () => {}, onApart = () => {} } = params;
  const gathering = new Map<string, { waiting: Waiting[]; takeBack: () => void }>();
  const expected = new Map<string, Expected>();
  const apartUntil = new Map<string, number>();

  function expectedOf(mid: string): Expected {
    const known = expected.get(mid) ?? createExpected(() => clock.now());
    expected.set(mid, known);
    return known;
  }

  function flush(mid: string): void {
    const batch = gathering.get(mid);
    if (batch === undefined) return;
    gathering.delete(mid);
    batch.takeBack();
    if (clock.now() < (apartUntil.get(mid) ?? Number.NEGATIVE_INFINITY))
      for (const each of batch.waiting) void ask(mid, [each], []);
    else void ask(mid, batch.waiting, expectedOf(mid).soon(MOST - batch.waiting.length));
  }

  /** `spent`: calls for the same polls that were in vain. Gives how many tasks were found. */
  async function ask(
    mid: string,
    waiting: readonly Waiting[],
    soon: readonly string[],
    spent = 0,
  ): Promise<number> {
    const ids = [...new Set([...waiting.map(({ taskId }) => taskId), ...soon])];
    // A tally of its own: the timer belongs to the poll that came first, which must not pay for all.
    const tally: Tally = { calls: spent };
    try {
      const found = await meter.during(tally, () => businessUnit(mid).taskStatuses(ids));
      onAsked(ids.length);
      const byId = new Map<string, TaskStatus>();
      for (const status of found)
        byId.set(status.taskId, later(byId.get(status.taskId) ?? status, status));
      // A poll that came meanwhile asks for itself, and pays for that; so does one whose task was left out.
      const coming = soon.filter((taskId) => byId.has(taskId) && expectedOf(mid).has(taskId));
      const share = tally.calls / (waiting.length + coming.length);
      const answerTo = (taskId: string): Answer => ({ status: byId.get(taskId) ?? null, share });
      const isLeftOut = ({ taskId }: Waiting): boolean => ids.length > 1 && !byId.has(taskId);
      for (const each of waiting) if (!isLeftOut(each)) each.answer(answerTo(each.taskId));
      for (const taskId of coming) expectedOf(mid).answered(taskId, answerTo(taskId));
      const alone = waiting.filter(isLeftOut).map((each) => ask(mid, [each], [], share));
      if ((await Promise.all(alone)).some((tasks) => tasks > 0)) {
        apartUntil.set(mid, clock.now() + APART_MS);
        onApart(mid);
      }
      return byId.size;
    } catch (error) {
      // One id that Marketing Cloud does not take must not keep the others from their answers.
      if (ids.length > 1 && error instanceof MarketingCloudError && error.kind === 'data') {
        const middle = Math.ceil(waiting.length / 2);
        const halves =
          soon.length > 0 ? [waiting] : [waiting.slice(0, middle), waiting.slice(middle)];
        const each = tally.calls / waiting.length;
        await Promise.all(halves.map((half) => ask(mid, half, [], each * half.length)));
      } else for (const each of waiting) each.fail(error, tally.calls / waiting.length);
      return 0;
    }
  }

  function gather(mid: string, taskId: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const batch = gathering.get(mid) ?? {
        waiting: [],
        takeBack: clock.after(gatherMs, () => flush(mid)),
      };
      gathering.set(mid, batch);
      batch.waiting.push({
        taskId,
        answer: resolve,
        fail: (error, share) => reject(new Unshared(error, share)),
      });
      if (batch.waiting.length >= MOST) flush(mid);
    });
  }

  return {
    async ask(mid, taskId) {
      const { known, owed } = expectedOf(mid).take(taskId);
      meter.charge(owed);
      if (known !== null) return known.status;
      try {
        const { status, share } = await gather(mid, taskId);
        meter.charge(share);
        return status;
      } catch (error) {
        if (!(error instanceof Unshared)) throw error;
        meter.charge(error.share);
        throw error.reason;
      }
    },
    expect: (mid, taskId, afterMs) => expectedOf(mid).add(taskId, afterMs),
  };
}

/** What a shared question failed with, and what it cost each. */
class Unshared extends Error {
  readonly reason: unknown;
  readonly share: number;
  constructor(reason: unknown, share: number) {
    super('unshared');
    this.reason = reason;
    this.share = share;
  }
}
