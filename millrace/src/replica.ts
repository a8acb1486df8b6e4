import type { Clock, Events, Log } from '@millrace/engine';
import {
  type PostgresStore,
  createAnnouncer,
  createCounting,
  createKeeper,
} from '@millrace/store-postgres';

const TIDY_EVERY_MS = 10 * 60_000;

/**
 * Reports to the servers on the same database: which jobs this process changes, for consoles that show them as they
 * change, and how many came and ended, for their figures. With an embedded database there is no other process.
 */
export function reportToServers(params: {
  readonly store: PostgresStore;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly replica: string;
}): { close(): Promise<void> } {
  const { store, events, clock, log, replica } = params;
  const { announcements, figures } = store;
  if (store.database.isEmbedded) return { close: () => Promise.resolve() };
  const announcer = createAnnouncer({
    announcements,
    events,
    clock,
    outage: outageOf(log, 'Announcing changes'),
  });
  const counting = createCounting({
    events,
    now: Date.now,
    ofOrgs: new Set(),
    onCounted: () => keeper.soon(),
  });
  const outage = outageOf(log, 'Keeping figures');
  const keeper = createKeeper({ counting, figures, replica, clock, outage });
  figures.listen(counting);
  const unlisten = [
    announcements.listen(({ type }) => type === 'interest' && announcer.hear()),
    // Also after the connection was lost: of readers nothing may have been heard since.
    store.watch(({ type }) => type === 'control' && announcer.doubt()),
  ];
  let isClosed = false;
  let cancelTimer = clock.after(TIDY_EVERY_MS, tidy);

  function tidy(): void {
    figures
      .tidy()
      .catch((error: unknown) => outage.failed(error))
      .finally(() => {
        if (!isClosed) cancelTimer = clock.after(TIDY_EVERY_MS, tidy);
      });
  }

  return {
    async close() {
      isClosed = true;
      cancelTimer();
      for (const each of unlisten) each();
      await Promise.all([announcer.close(), keeper.close()]);
    },
  };
}

/** One line when the database goes, whatever the number of tries. */
function outageOf(log: Log, what: string) {
  let isFailing = false;
  return {
    failed(error: unknown) {
      if (!isFailing) log.warn({ err: error }, `${what} cannot reach the database; it tries again`);
      isFailing = true;
    },
    fine() {
      isFailing = false;
    },
  };
}
