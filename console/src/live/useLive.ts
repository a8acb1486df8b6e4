import type { LiveEvent } from '@millrace/api';
import { createContext, use, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Live, LiveStatus } from './stream.ts';

export const LiveContext = createContext<Live | null>(null);

/** For what is more than an answer that became old, such as "12 new". */
export function useLiveEvents(listener: (events: readonly LiveEvent[]) => void): void {
  const live = use(LiveContext);
  const hear = useEffectEvent(listener);
  useEffect(() => live?.watch((events) => hear(events)), [live]);
}

export function useLiveStatus(): LiveStatus {
  const live = use(LiveContext);
  return useSyncExternalStore(
    (listener) => live?.onStatus(listener) ?? (() => undefined),
    () => live?.status() ?? 'connecting',
  );
}
