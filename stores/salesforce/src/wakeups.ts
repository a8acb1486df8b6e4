import type { Hint, Store } from '@millrace/engine';
import type { Listening, Salesforce } from '@millrace/salesforce';

/** Between two hints: each makes every replica claim, and a claim is an API call. */
const APART_MS = 2_000;

/**
 * The package's event as a hint. The first who watches begins to listen, and the last who leaves ends it. After a time away
 * one hint is given unasked, since an event may have passed.
 */
export function createWakeups(
  salesforce: Salesforce,
  params: { readonly channel: string; readonly kind: string; readonly apartMs?: number },
): Store['watch'] {
  const hint: Hint = { type: 'ready', kinds: [params.kind] };
  const watchers = new Set<{ readonly tell: (hint: Hint) => void }>();
  let listening: Listening | null = null;
  let apart: NodeJS.Timeout | null = null;
  let isDue = false;
  let wasAway = false;

  function hear(): void {
    isDue = true;
    if (apart !== null) return;
    isDue = false;
    apart = setTimeout(() => {
      apart = null;
      if (isDue) hear();
    }, params.apartMs ?? APART_MS);
    apart.unref();
    for (const { tell } of watchers) {
      try {
        tell(hint);
      } catch {
        // An error of one listener must not keep the hint from the others.
      }
    }
  }

  function onState(state: 'listening' | 'away'): void {
    if (state === 'listening' && wasAway) hear();
    wasAway = state === 'away';
  }

  function leave(): void {
    void listening?.stop();
    if (apart !== null) clearTimeout(apart);
    [listening, apart, isDue, wasAway] = [null, null, false, false];
  }

  return (tell) => {
    const watcher = { tell };
    watchers.add(watcher);
    listening ??= salesforce.listen({ channel: params.channel, onEvent: hear, onState });
    return () => {
      if (watchers.delete(watcher) && watchers.size === 0) leave();
    };
  };
}
