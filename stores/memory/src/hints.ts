import type { Hint, Lease } from '@millrace/engine';

/** The hints of a verb, gathered while it runs: a verb that fails sends none. */
export interface HintDraft {
  ready(kind: string): void;
  cancel(lease: Lease): void;
  control(): void;
}

export interface HintBoard {
  watch(listener: (hint: Hint) => void): () => void;
  draft(): HintDraft & { publish(): void };
}

export function createHintBoard(): HintBoard {
  const listeners = new Set<(hint: Hint) => void>();

  function tell(hint: Hint): void {
    for (const listener of listeners) {
      try {
        listener(hint);
      } catch {
        // A hint is a favour: nothing may depend on who listens, nor on how.
      }
    }
  }

  function watch(listener: (hint: Hint) => void): () => void {
    // A function of its own per call: the same listener given twice is two watches.
    const own = (hint: Hint): void => listener(hint);
    listeners.add(own);
    return () => listeners.delete(own);
  }

  function draft(): HintDraft & { publish(): void } {
    const kinds = new Set<string>();
    const leases: Lease[] = [];
    let controlled = false;
    return {
      ready: (kind) => void kinds.add(kind),
      cancel: ({ id, epoch, claim }) => void leases.push({ id, epoch, claim }),
      control() {
        controlled = true;
      },
      // After the verb has answered, in an order that a simulation can repeat.
      publish() {
        if (kinds.size > 0)
          queueMicrotask(() => tell({ type: 'ready', kinds: [...kinds].toSorted() }));
        if (leases.length > 0) queueMicrotask(() => tell({ type: 'cancel', leases }));
        if (controlled) queueMicrotask(() => tell({ type: 'control' }));
      },
    };
  }

  return { watch, draft };
}
