import { StoreTimedOut, StoreUnavailable } from '../errors.ts';
import type { ExecutorParts } from '../execution/parts.ts';
import type { ClaimParams, Claimed, Want } from '../port.ts';
import type { Room } from './slots.ts';
import { createWakeUp } from './wake-up.ts';

/** Asks the store for jobs: again after a lost answer, for less after a slow one, and less often while it fails. */
export interface Claims {
  /** The most to ask for: less than a batch after a claim that the store could not finish in time. */
  most(): number;
  /** Null when there is no answer to be had; what the store may have given is taken over when its lease is over. */
  ask(room: Room): Promise<Answer | null>;
  /** For one suspect. Throws where `ask` tries again: the next turn does. */
  askAlone(wants: readonly Want[]): Promise<Pick<Answer, 'claimed' | 'askedAt'>>;
  /** Each time for longer, until a claim goes well; cut short by `halt` alone, not by hints. */
  backOff(): Promise<void>;
  halt(): void;
  /** Milliseconds since 1970 by the store's clock, null before the first claim. */
  lastPoll(): number | null;
}

export interface Answer {
  readonly claimed: Claimed;
  /** On the worker's clock, when the claim was first asked for: its leases count from there. */
  readonly askedAt: number;
  /** The answer to a claim that was asked for again. */
  readonly isReplay: boolean;
  /** A job is of a kind that was not asked for. */
  readonly hasForeign: boolean;
}

const RETRY_MS = { first: 100, most: 10_000 };

export function createClaims(params: {
  pool: string;
  worker: string;
  parts: ExecutorParts;
  batch: number;
  minPriority: number | undefined;
  nextClaim: () => number;
  isForeign: (job: { readonly kind: string }) => boolean;
  isStopped: () => boolean;
}): Claims {
  const { pool, worker, batch, minPriority, nextClaim, isForeign, isStopped } = params;
  const { store, clock, events, leaseMs } = params.parts;
  const halt = createWakeUp(clock);
  let retryMs = RETRY_MS.first;
  let most = batch;
  let lastPoll: number | null = null;

  /** After a lost answer the same claim is asked for again, so that its leases are not left to expire. */
  async function ask({ wants, limit }: Room): Promise<Answer | null> {
    const request = requestFor(wants, limit);
    const askedAt = clock.now();
    for (let isReplay = false; ; isReplay = true) {
      try {
        const claimed = await store.claim(isReplay ? { ...request, replay: true } : request);
        const hasForeign = claimed.jobs.some(isForeign);
        if (!hasForeign) wentWell();
        if (claimed.jobs.length >= most) most = Math.min(batch, most * 2);
        report(claimed, limit);
        return { claimed, askedAt, isReplay, hasForeign };
      } catch (error) {
        events.emit('store.failed', { during: 'claim', error });
        if (!isStopped()) await backOff();
        // Too much to be fetched in time, most likely: the same again would take as long.
        const isTooSlow = error instanceof StoreTimedOut;
        if (isTooSlow) most = Math.max(1, Math.floor(limit / 2));
        // Leases that may have been given are over by now, or the fault is not the network's: start again.
        const isLost =
          isTooSlow || clock.now() - askedAt > leaseMs || !(error instanceof StoreUnavailable);
        if (isStopped() || isLost) return null;
      }
    }
  }

  async function askAlone(wants: readonly Want[]): Promise<Pick<Answer, 'claimed' | 'askedAt'>> {
    const askedAt = clock.now();
    const request = { ...requestFor(wants, 1), alone: true };
    const claimed = await store.claim(request).catch(async (error: unknown) => {
      // Once more, for the answer; what it may have given otherwise is taken over when its lease is over.
      if (error instanceof StoreUnavailable) return store.claim({ ...request, replay: true });
      throw error;
    });
    report(claimed, 1);
    return { claimed, askedAt };
  }

  function requestFor(wants: readonly Want[], limit: number): ClaimParams {
    return {
      worker,
      claim: nextClaim(),
      wants,
      limit,
      leaseMs,
      ...(minPriority !== undefined && { minPriority }),
    };
  }

  function wentWell(): void {
    if (retryMs > RETRY_MS.first) events.emit('store.recovered', { during: 'claim' });
    retryMs = RETRY_MS.first;
  }

  async function backOff(): Promise<void> {
    if (!isStopped()) await halt.wait(retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_MS.most);
  }

  function report(claimed: Claimed, asked: number): void {
    events.emit('pool.polled', { pool, claimed: claimed.jobs.length, asked });
    lastPoll = claimed.now;
    const { takenOver, takenFrom = [] } = claimed;
    if (takenOver > 0)
      events.emit('lease.takenOver', {
        count: takenOver,
        jobs: takenFrom.map(({ id }) => id),
        workers: [...new Set(takenFrom.map((each) => each.worker))],
        from: takenFrom,
      });
    for (const lost of claimed.lost)
      events.emit('job.lost', { ...lost, correlationId: lost.correlationId ?? lost.id });
  }

  return { most: () => most, ask, askAlone, backOff, halt: halt.wake, lastPoll: () => lastPoll };
}
