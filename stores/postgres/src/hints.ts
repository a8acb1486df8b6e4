import type { Store } from '@millrace/engine';
import type { Database } from './database.ts';
import { CHANNEL, decode, encode, notify } from './operations/notify.ts';
import type { Announcement, Announcements, Message } from './service.ts';

export interface Hints extends Pick<Store, 'watch'> {
  readonly announcements: Announcements;
  /** Whether what is notified comes back to this process. */
  readonly notifies: boolean;
  stop(): Promise<void>;
}

const SELF_TEST_MS = 2_000;

/**
 * One LISTEN for the process, which hears everything in the order in which it was committed, as every other process does.
 * Poolers swallow LISTEN without an error, so it is tried out at the start: a message sent must come back. Otherwise the
 * workers poll, and what is announced here is told to those who watch here: no other can be heard anyway.
 */
export async function startHints(database: Database): Promise<Hints> {
  const listeners = new Set<(message: Message) => void>();
  const tell = (hint: Message): void => {
    for (const listener of listeners) {
      try {
        listener(hint);
      } catch {
        // Its own affair: the others are told all the same.
      }
    }
  };
  const join = (listener: (message: Message) => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const token = `self-test ${Math.random()}`;
  let passed: () => void = () => {};
  const selfTest = new Promise<boolean>((resolve) => {
    passed = () => resolve(true);
    setTimeout(() => resolve(false), SELF_TEST_MS).unref();
  });
  const receive = (message: string): void => {
    if (message === token) passed();
    const hint = decode(message);
    if (hint !== null) tell(hint);
  };
  const unlisten = await database.listen(CHANNEL, receive, () => tell({ type: 'control' }));
  await notify(database, token);
  const notifies = await selfTest;
  if (!notifies) await unlisten();
  return {
    notifies,
    watch: (listener) => join((message) => isAnnouncement(message) || listener(message)),
    announcements: {
      async announce({ announcement }) {
        const message = encode(announcement);
        // Also where it does not come back: another process may reach the database past the pooler.
        await notify(database, message);
        if (!notifies) receive(message);
      },
      listen: (listener) => join((message) => isAnnouncement(message) && listener(message)),
      arrive: () => notifies,
    },
    async stop() {
      listeners.clear();
      if (notifies) await unlisten();
    },
  };
}

function isAnnouncement(message: Message): message is Announcement {
  return message.type === 'changed' || message.type === 'interest';
}
