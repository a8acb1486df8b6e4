const TRY_AGAIN_MS = 60_000;

/**
 * Opens with the first call, once for all. What failed is tried again by a later call, but not by each: an install takes npm some
 * seconds and asks the network. Until then every call gets the failure that is known.
 */
export function openOnce<T>(
  open: () => Promise<T>,
  now: () => number = () => performance.now(),
): { readonly get: () => Promise<T>; readonly opened: () => Promise<T> | null } {
  let opened: Promise<T> | null = null;
  let failedAt: number | null = null;
  return {
    get() {
      if (opened === null || (failedAt !== null && now() >= failedAt + TRY_AGAIN_MS)) {
        failedAt = null;
        opened = open();
        opened.catch(() => (failedAt = now()));
      }
      return opened;
    },
    opened: () => opened,
  };
}
