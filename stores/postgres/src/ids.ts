import type { JobId } from '@millrace/engine';

/** Job ids are `<store>-<seq>`. */
export interface Ids {
  of(seq: number): JobId;
  /** Null for an id that is not of this store. */
  seq(id: JobId): number | null;
}

export function createIds(store: string): Ids {
  const prefix = `${store}-`;
  return {
    of: (seq) => prefix + seq,
    seq(id) {
      if (!id.startsWith(prefix)) return null;
      const digits = id.slice(prefix.length);
      const seq = Number(digits);
      return /^[1-9]\d{0,15}$/.test(digits) && Number.isSafeInteger(seq) ? seq : null;
    },
  };
}
