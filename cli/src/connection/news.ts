import type { CallOptions } from '@millrace/api';
import type { Context } from '../context.ts';

/** Tells when there is something to look at: by the live events of the server, or where those do not come, after a pause. */
export interface News {
  /**
   * `news`: look again. `still`: nothing has happened, and a terminal that shows how long something takes is drawn again.
   * `pauseMs` is how long it takes without live events. Throws when interrupted.
   */
  next(pauseMs: number): Promise<'news' | 'still'>;
  close(): void;
}

/** How often what runs is drawn again. */
const REDRAW_MS = 1_000;

/**
 * The stream is opened again by itself when its line breaks. Until it is, and where the server refuses it (too many streams),
 * every pause is news: nothing is missed, since each look sees the whole truth.
 */
export function openNews<Event>(
  { world, out }: Pick<Context, 'world' | 'out'>,
  open: (options: CallOptions) => AsyncIterable<Event>,
  isNews: (event: Event) => boolean,
): News {
  const closed = new AbortController();
  let isLive = false;
  let hasNews = false;
  let wake = (): void => {};

  function tell(): void {
    hasNews = true;
    wake();
  }

  async function read(): Promise<void> {
    const signal = AbortSignal.any([closed.signal, world.interrupted]);
    try {
      const onBreak = (): void => {
        isLive = false;
        tell();
      };
      for await (const event of open({ signal, onBreak })) {
        // What happened between the last look and the opening of the stream is not sent again.
        if (!isLive || isNews(event)) tell();
        isLive = true;
      }
    } catch {
      // Refused, or not reached at all: the next look says so better.
    }
    isLive = false;
    wake();
  }

  /** Until something arrives, the line breaks, or someone interrupts. */
  function told(): Promise<void> {
    return new Promise((resolve, reject) => {
      const interrupt = (): void => reject(world.interrupted.reason as Error);
      wake = () => {
        world.interrupted.removeEventListener('abort', interrupt);
        resolve();
      };
      world.interrupted.addEventListener('abort', interrupt, { once: true });
      if (world.interrupted.aborted) interrupt();
    });
  }

  void read();
  return {
    async next(pauseMs) {
      if (isLive && !hasNews)
        await (out.isLive ? Promise.race([told(), world.wait(REDRAW_MS)]) : told());
      else if (!hasNews) await world.wait(pauseMs);
      wake(); // where a pause was over first, nobody waits for it any more
      wake = () => {};
      const isStill = isLive && !hasNews;
      hasNews = false;
      return isStill ? 'still' : 'news';
    },
    close: () => closed.abort(),
  };
}
