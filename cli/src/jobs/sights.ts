import type { CallOptions } from '@millrace/api';
import { openNews } from '../connection/news.ts';
import type { Context } from '../context.ts';
import { isTransient } from '../failure.ts';
import { PATIENCE_MS } from './follow.ts';
import { nextPauseMs } from './rhythm.ts';

/** How something stood at one look. */
export interface Sight<Thing> {
  readonly seen: Thing;
  /** The server has not answered since then: what is shown is old. */
  readonly silentSince: number | null;
}

export interface Followed<Thing> {
  look(): Promise<Thing>;
  /** They only wake us: the truth is in each look. */
  events(options: CallOptions): AsyncIterable<unknown>;
  hasEnded(seen: Thing): boolean;
}

/** Looks at something whenever it changes, until it is over. */
export async function* sightsOf<Thing>(
  context: Context,
  first: Thing,
  { look, events, hasEnded }: Followed<Thing>,
): AsyncGenerator<Sight<Thing>> {
  const { world } = context;
  let seen = first;
  yield { seen, silentSince: null };
  if (hasEnded(seen)) return;
  const news = openNews(context, events, () => true);
  let pauseMs: number | null = null;
  let silentSince: number | null = null;
  try {
    while (!hasEnded(seen)) {
      pauseMs = nextPauseMs(pauseMs, { running: true, dueInMs: null });
      if ((await news.next(pauseMs)) === 'news') {
        try {
          const found = await look();
          if (JSON.stringify(found) !== JSON.stringify(seen)) pauseMs = null;
          seen = found;
          silentSince = null;
        } catch (thrown) {
          silentSince ??= world.now();
          if (!isTransient(thrown) || world.now() - silentSince > PATIENCE_MS) throw thrown;
        }
      }
      yield { seen, silentSince };
    }
  } finally {
    news.close();
  }
}
