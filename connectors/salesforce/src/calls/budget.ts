import { SalesforceError } from '../errors.ts';
import type { Budget, Log } from '../types.ts';

/**
 * How much of the org's daily API calls is used, as every answer tells, and the pause that batch calls keep once
 * Salesforce has said that there are none left.
 */
export interface BudgetKeeper {
  /** `api-usage=18/5000; per-app-api-usage=17/250(appName=sample)` */
  note(limitInfo: string | undefined): void;
  /** Salesforce answered REQUEST_LIMIT_EXCEEDED. */
  exceeded(): void;
  /** Throws while batch calls are held back: each would be refused, and counted. */
  admit(lane: 'interactive' | 'batch'): void;
  read(): Budget;
}

const SLOW_FROM = 0.7;
const STOP_FROM = 0.9;
const PAUSE_MS = 60_000;

export function createBudget(now: () => number, log: Log): BudgetKeeper {
  let budget: Budget = { level: 'unknown' };
  let heldUntil = 0;

  return {
    note(limitInfo) {
      const [, usedText, maxText] =
        /(?:^|[\s;,])api-usage=(\d+)\/(\d+)/.exec(limitInfo ?? '') ?? [];
      const used = Number(usedText);
      const max = Number(maxText);
      if (!(max > 0)) return;
      const ratio = used / max;
      const level = ratio >= STOP_FROM ? 'stop' : ratio >= SLOW_FROM ? 'slow' : 'fine';
      if (level !== budget.level && level !== 'fine') {
        log.warn(
          { used, max },
          `${Math.floor(ratio * 100)} % of the org's API calls for a day are used`,
        );
      }
      budget = { level, used, max, ratio, at: now() };
    },
    exceeded() {
      heldUntil = now() + PAUSE_MS;
    },
    admit(lane) {
      const waitMs = heldUntil - now();
      if (lane === 'interactive' || waitMs <= 0) return;
      throw new SalesforceError(
        `Salesforce's API limit is used up. Batch calls pause for another ${Math.ceil(waitMs / 1_000)} s.`,
        { code: 'limit_exceeded', kind: 'limit', outcome: 'notSent' },
      );
    },
    read: () => budget,
  };
}
