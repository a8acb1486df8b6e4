import type { Store } from '../port.ts';
import { type PauseWindow, pausedUntil } from '../time/window.ts';

/** The pause windows of a pool, by the store's clock. */
export interface HeldWindows {
  /** As it was last looked at. */
  heldUntil(): number | null;
  /** How long a window holds the claims; null: none does, or the store cannot tell. */
  heldMs(): Promise<number | null>;
}

export function createHeldWindows(windows: readonly PauseWindow[], store: Store): HeldWindows {
  let heldUntil: number | null = null;
  return {
    heldUntil: () => heldUntil,
    async heldMs() {
      if (windows.length === 0) return null;
      const now = await store.now().catch(() => null);
      heldUntil = now === null ? null : pausedUntil(windows, now);
      return now === null || heldUntil === null ? null : heldUntil - now;
    },
  };
}
