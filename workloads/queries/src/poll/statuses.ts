import type { Clock } from '@millrace/engine';
import { type BusinessUnit, MarketingCloudError, type TaskStatus } from '@millrace/marketing-cloud';
import type { Meter, Tally } from '../calls.ts';

/**
 * The status of a task, asked together with those that other polls of the same business unit ask for at the same time: one
 * SOAP Retrieve with IN answers up to 100 of them, and costs each its share.
 */
export type AskStatus = (mid: string, taskId: string) => Promise<TaskStatus | null>;

export interface StatusesParams {
  readonly businessUnit: (mid: string) => Pick<BusinessUnit, 'taskStatuses'>;
  readonly meter: Meter;
  readonly clock: Clock;
  /** How long the first waits for others. Polls that were claimed together come within a few milliseconds. */
  readonly gatherMs: number;
  /** How many polls one question answered. */
  readonly onAsked?: (polls: number) => void;
}

/** As many as the connector puts into one call. */
const MOST = 100;

interface Waiting {
  readonly taskId: string;
  answer(status: TaskStatus | null, share: number): void;
  fail(error: unknown, share: number): void;
}

export function createStatuses(params: StatusesParams): AskStatus {
  const { businessUnit, meter, clock, gatherMs, onAsked = () => {} } = params;
  const gathering = new Map<string, { waiting: Waiting[]; takeBack: () => void }>();

  function flush(mid: string): void {
    const batch = gathering.get(mid);
    if (batch === undefined) return;
    gathering.delete(mid);
    batch.takeBack();
    void ask(mid, batch.waiting);
  }

  async function ask(mid: string, waiting: readonly Waiting[]): Promise<void> {
    const ids = [...new Set(waiting.map(({ taskId }) => taskId))];
    // A tally of its own: the timer belongs to the poll that came first, which must not pay for all.
    const tally: Tally = { calls: 0 };
    const share = (): number => tally.calls / waiting.length;
    try {
      const found = await meter.during(tally, () => businessUnit(mid).taskStatuses(ids));
      onAsked(waiting.length);
      const byId = new Map(found.map((status) => [status.taskId, status]));
      for (const each of waiting) each.answer(byId.get(each.taskId) ?? null, share());
    } catch (error) {
      // One id that Marketing Cloud does not take must not keep the others from their answers.
      if (ids.length > 1 && error instanceof MarketingCloudError && error.kind === 'data') {
        const middle = Math.ceil(waiting.length / 2);
        await Promise.all([ask(mid, waiting.slice(0, middle)), ask(mid, waiting.slice(middle))]);
      } else for (const each of waiting) each.fail(error, share());
    }
  }

  return (mid, taskId) =>
    new Promise<{ status: TaskStatus | null; share: number }>((resolve, reject) => {
      const batch = gathering.get(mid) ?? {
        waiting: [],
        takeBack: clock.after(gatherMs, () => flush(mid)),
      };
      gathering.set(mid, batch);
      batch.waiting.push({
        taskId,
        answer: (status, share) => resolve({ status, share }),
        fail: (error, share) => reject(new Unshared(error, share)),
      });
      if (batch.waiting.length >= MOST) flush(mid);
    }).then(
      ({ status, share }) => {
        meter.charge(share);
        return status;
      },
      (failed: unknown) => {
        if (!(failed instanceof Unshared)) throw failed;
        meter.charge(failed.share);
        throw failed.reason;
      },
    );
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
