/** Closes resources in reverse order; a failing one does not keep the others open. */
export interface Closing {
  add(close: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export function createClosing(): Closing {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add: (close) => void closers.push(close),
    async close() {
      let failed: { readonly error: unknown } | null = null;
      for (const close of closers.splice(0).toReversed()) {
        try {
          await close();
        } catch (error) {
          failed ??= { error };
        }
      }
      if (failed !== null) throw failed.error;
    },
  };
}
