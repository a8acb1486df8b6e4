import { setImmediate as immediate } from 'node:timers/promises';
import { type Sleep, type Wire, createWire, scrub } from '@millrace/http';
import {
  type BayeuxClient,
  type Reply,
  createBayeuxClient,
  isSessionRefused,
  needsHandshake,
} from './bayeux.ts';
import { SalesforceError, peer } from '../errors.ts';
import type { Session, Tokens } from '../calls/token.ts';
import type { ListenParams, Listening, Log } from '../types.ts';

/**
 * Listens to a channel of the Streaming API for as long as it is wanted. What comes is a hint and nothing more, so whatever
 * goes wrong is reported once and tried again, and nobody else hears of it.
 */
export interface EventsParams {
  readonly tokens: Tokens;
  readonly apiVersion: string;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly log: Log;
}

/** Why one handshake was not enough. `again`: Salesforce asks for a new one, so it is no failure yet. */
interface Ended {
  readonly again: boolean;
  readonly code: string;
  readonly reason: string;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 300_000;
/** A client that lived for so long was a good one: what ends it begins a new count. */
const LIVED_MS = 60_000;
/** Between long polls that come back empty at once, which none but a broken server's do. */
const BREATH_MS = 1_000;
/** A long poll that Salesforce refuses and wants again ("too busy"); then a handshake is tried. */
const MOST_REFUSALS = 5;

export function listenTo(params: ListenParams, parts: EventsParams): Listening {
  const { now, log } = parts;
  const { channel } = params;
  const stopping = new AbortController();
  const { signal } = stopping;
  // A connection apart from that of the calls: a long poll holds it for two minutes, and no call must wait for that.
  const wire = createWire({ peer, connections: 1, timeoutMs: parts.timeoutMs });
  let failures = 0;
  let hasRenewed = false;
  let lastTold: 'listening' | 'away' | null = null;
  let isListening = false;

  function became(listening: boolean): void {
    if (isListening === listening) return;
    isListening = listening;
    guarded('onState', () => params.onState?.(listening ? 'listening' : 'away'));
  }

  function guarded(what: string, call: () => unknown): void {
    const failed = (error: unknown): void =>
      log.warn({ channel, err: error }, `${what} failed on a Salesforce event`);
    try {
      const result = call();
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  function deliver({ events }: Reply): void {
    for (const data of events) {
      if (!signal.aborted) guarded('onEvent', () => params.onEvent(data));
    }
  }

  /** One handshake and all that follows from it. Ends with the reason why there must be another. */
  async function visit(session: Session): Promise<Ended> {
    const { apiVersion, timeoutMs } = parts;
    const client = createBayeuxClient({ wire, session, apiVersion, timeoutMs, signal });
    for (const step of [client.handshake, () => client.subscribe(channel)]) {
      const reply = await step();
      if (!reply.successful) return refusedBy(reply, session);
      deliver(reply);
    }
    if (lastTold !== 'listening') log.info({ channel }, 'listening to Salesforce events');
    lastTold = 'listening';
    became(true);
    return poll(client, session);
  }

  async function poll(client: BayeuxClient, session: Session): Promise<Ended> {
    for (let isFirst = true, refusals = 0; ; isFirst = false) {
      const sentAt = now();
      const reply = await client.connect();
      deliver(reply);
      refusals = reply.successful ? 0 : refusals + 1;
      const isOver = isSessionRefused(reply) || needsHandshake(reply) || refusals >= MOST_REFUSALS;
      if (!reply.successful && (isOver || reply.reconnect !== 'retry')) {
        return refusedBy(reply, session);
      }
      // The first connect is answered at once, by custom, and does not count as hasty.
      const isHasty = !isFirst && reply.events.length === 0 && now() - sentAt < BREATH_MS;
      const pauseMs = isHasty || refusals > 0 ? BREATH_MS : 0;
      const waitMs = Math.max(reply.intervalMs, pauseMs);
      if (waitMs > 0) await parts.sleep(waitMs, signal);
    }
  }

  function refusedBy(reply: Reply, session: Session): Ended {
    const isSession = isSessionRefused(reply);
    // The token is renewed once only: one that is good for calls and not for events must not be taken from the calls
    // again and again.
    if (isSession && !hasRenewed) parts.tokens.refused(session);
    hasRenewed ||= isSession;
    return {
      again: isSession || needsHandshake(reply),
      code: isSession ? 'session_refused' : 'refused',
      reason: scrub(reply.error, [session.token]),
    };
  }

  async function attempt(): Promise<Ended> {
    try {
      return await visit(await orStopped(parts.tokens.get(), signal));
    } catch (error) {
      const code = error instanceof SalesforceError ? error.code : 'unexpected';
      return { again: false, code, reason: error instanceof Error ? error.message : '' };
    }
  }

  /**
   * Waits before the next handshake: not at all the first time Salesforce asks for one, else ever longer (1 s to 5
   * minutes).
   */
  async function pause({ again, code, reason }: Ended): Promise<void> {
    became(false);
    failures += 1;
    if (again && failures === 1) return;
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 20));
    if (lastTold !== 'away') log.warn({ channel, code }, `No Salesforce events for now: ${reason}`);
    lastTold = 'away';
    await parts.sleep(delay * (0.5 + parts.random() / 2), signal);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const startedAt = now();
      const ended = await attempt();
      if (signal.aborted) break;
      if (isListening && now() - startedAt >= LIVED_MS) {
        failures = 0;
        hasRenewed = false;
      }
      await pause(ended).catch(() => {}); // woken by stop
      await immediate(); // whatever `sleep` does: others get their turn
    }
    became(false);
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      release(wire);
    },
  };
}

/** Closes without waiting: a connection that is just being made would hold it up for seconds. */
function release(wire: Wire): void {
  wire.close().catch(() => {});
}

/** Others may wait for the same token, so who stops listening does not end the asking. */
function orStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error('stopped'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
