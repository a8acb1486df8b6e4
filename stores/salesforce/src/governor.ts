import type { Salesforce } from '@millrace/salesforce';

/** Between claims while the allowance runs low. */
const SLOW_MS = 60_000;
/** Between looks whether there is allowance again. Without calls, no answer would tell. */
const LOOK_EVERY_MS = 300_000;

/**
 * An org's daily calls are everybody's. From 70 % on, batch work claims once a minute; from 90 % on, not at all, so
 * that people at their screens still get their documents.
 */
export interface Governor {
  mayClaim(): Promise<boolean>;
  /** Whether claiming on at once is all right. */
  mayHurry(): boolean;
}

export function createGovernor(salesforce: Salesforce, now: () => number): Governor {
  let claimedAt = -Infinity;
  let lookedAt = -Infinity;

  async function look(): Promise<void> {
    if (now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = now();
    await salesforce.limits({ lane: 'interactive' });
  }

  return {
    async mayClaim() {
      if (salesforce.budget().level === 'stop') await look();
      const { level } = salesforce.budget();
      if (level === 'stop' || (level === 'slow' && now() - claimedAt < SLOW_MS)) return false;
      claimedAt = now();
      return true;
    },
    mayHurry: () => salesforce.budget().level !== 'slow',
  };
}
