import type { Store } from '@millrace/engine';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import { CHANNEL, decode, encode, notify } from './operations/notify.ts';
import type { Announcement, Announcements, Message } from './service.ts';

export interface Hints extends Pick<Store, 'watch'> {
  readonly announcements: Announcements;
  stop(): Promise<void>;
}

export interface HintOptions {
  /** Called with the first answer, and whenever it changes. */
  readonly onNotify?: (arrives: boolean) => void;
  readonly pauses?: HintPauses;
}

export interface HintPauses {
  /** How long a message may take to come back: at the start, which waits for it, and later. */
  readonly firstTestMs: number;
  readonly testMs: number;
  /** Until the next try, doubled each time. */
  readonly retryMs: { readonly first: number; readonly most: number };
  /** Between two tests while it works. */
  readonly checkMs: number;
}

const PAUSES: HintPauses = {
  firstTestMs: 2_000,
  testMs: 10_000,
  retryMs: { first: 1_000, most: 300_000 },
  checkMs: 60_000,
};

/**
 * One LISTEN for the process, which hears everything in the order in which it was committed, as every other process does.
 * Poolers swallow LISTEN without an error, so it is tried out: a message sent must come back. While it does not, the workers
 * poll, what is announced here is sent to those who watch here, and it is tried again: a database that is slow at
 * the start looks like a pooler. The test goes on while it works, since a fail-over may put a pooler in between.
 */
export async function startHints(
  database: Database,
  { onNotify, pauses = PAUSES }: HintOptions = {},
): Promise<Hints> {
  const listeners = new Set<(message: Message) => void>();
  const stopping = new AbortController();
  let unlisten: (() => Promise<void>) | null = null;
  let awaited: { token: string; arrived: () => void } | null = null;

  const tell = (message: Message): void => {
    for (const listener of listeners) {
      try {
        listener(message);
      } catch {
        // An error of one listener must not keep the hint from the others.
      }
    }
  };
  const tellText = (text: string): void => {
    const message = decode(text);
    if (message !== null) tell(message);
  };
  const join = (listener: (message: Message) => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  /** Sends a message and waits for it. Only the caller's `listen` can bring it. */
  async function comesBack(withinMs: number): Promise<boolean> {
    const token = `self-test ${Math.random()}`;
    const arrival = new Promise<boolean>((resolve) => {
      awaited = { token, arrived: () => resolve(true) };
    });
    try {
      await notify(database, token);
      return await Promise.race([arrival, pause(withinMs).then(() => false)]);
    } finally {
      awaited = null;
    }
  }

  /** A LISTEN of its own: what a pooler has swallowed once it does not bring later either. */
  async function tryOut(withinMs: number): Promise<boolean> {
    // Before the test is passed, what is announced here is sent here, and must not be sent twice.
    let isHeard = false;
    const end = await database.listen(
      CHANNEL,
      (text) => {
        if (text === awaited?.token) {
          isHeard = true;
          awaited.arrived();
        } else if (isHeard) tellText(text);
      },
      () => tell({ type: 'control' }),
    );
    const arrives = await comesBack(withinMs).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    if (arrives) unlisten = end;
    else await end();
    return arrives;
  }

  async function keepTrying(): Promise<void> {
    let retryMs = pauses.retryMs.first;
    while (!stopping.signal.aborted) {
      await pause(unlisten === null ? retryMs : pauses.checkMs);
      if (stopping.signal.aborted) return;
      try {
        if (unlisten === null) {
          retryMs = Math.min(retryMs * 2, pauses.retryMs.most);
          if (!(await tryOut(pauses.testMs))) continue;
          retryMs = pauses.retryMs.first;
          onNotify?.(true);
        } else {
          if (await comesBack(pauses.testMs)) continue;
          if (stopping.signal.aborted) return;
          await forget();
          onNotify?.(false);
        }
        // While the way of hearing changed, a notification may have been missed: everyone looks for themselves.
        tell({ type: 'control' });
      } catch {
        // The database is away, which says nothing about LISTEN: the next try does.
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal: stopping.signal }).catch(() => {});
  }

  async function forget(): Promise<void> {
    const end = unlisten;
    unlisten = null;
    await end?.();
  }

  const arrivesAtOnce = await tryOut(pauses.firstTestMs);
  onNotify?.(arrivesAtOnce);
  const trying = keepTrying();
  return {
    watch: (listener) => join((message) => isAnnouncement(message) || listener(message)),
    announcements: {
      async announce({ announcement }) {
        const text = encode(announcement);
        // Sent also where nothing comes back here: another process may reach the database past the pooler.
        await notify(database, text);
        if (unlisten === null) tellText(text);
      },
      listen: (listener) => join((message) => isAnnouncement(message) && listener(message)),
      arrive: () => unlisten !== null,
    },
    async stop() {
      listeners.clear();
      stopping.abort();
      await trying;
      // A database that is away hears of no end either, and whoever closes it goes on.
      await forget().catch(() => {});
    },
  };
}

function isAnnouncement(message: Message): message is Announcement {
  return message.type === 'changed' || message.type === 'interest';
}
