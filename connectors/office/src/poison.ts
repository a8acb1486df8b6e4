import { OfficeError } from './errors.ts';

/**
 * Documents that killed processes, by hash. Two deaths within the time, or one that was the document's own doing for sure, and it is
 * refused until the time is over. Bounded: what was heard of longest ago is forgotten first.
 */
export type Poison = 'crash' | 'memory' | 'timeout';

export interface PoisonList {
  /**
   * A process died while it converted this document. True once the document is on the list: at once where the
   * document is to blame for sure.
   */
  died(sha256: string, of: Poison, options?: { readonly sure?: boolean }): boolean;
  /** The reason why the document is on the list; null when it is not on it. */
  why(sha256: string): Poison | null;
  /** How many documents are refused now. */
  size(): number;
}

const DEADLY = 2;

export function createPoisonList(options: {
  limit: number;
  forgetAfterMs: number;
  now: () => number;
}): PoisonList {
  const { limit, forgetAfterMs, now } = options;
  const heard = new Map<string, { deaths: number; at: number; of: Poison }>();

  /** The map is in the order of `at`: every death puts its document last. */
  function forget(): void {
    for (const [sha256, { at }] of heard) {
      if (heard.size <= limit && now() - at < forgetAfterMs) return;
      heard.delete(sha256);
    }
  }

  return {
    died(sha256, of, { sure = false } = {}) {
      forget();
      const deaths = (heard.get(sha256)?.deaths ?? 0) + (sure ? DEADLY : 1);
      heard.delete(sha256);
      heard.set(sha256, { deaths, at: now(), of });
      forget();
      return deaths >= DEADLY;
    },
    why(sha256) {
      forget();
      const known = heard.get(sha256);
      return known !== undefined && known.deaths >= DEADLY ? known.of : null;
    },
    size() {
      forget();
      return [...heard.values()].filter(({ deaths }) => deaths >= DEADLY).length;
    },
  };
}

/** The error of a document that timed out for want of a processor: it may come out well another time. */
export function starved(timeoutMs: number): OfficeError {
  const message = `The conversion was not done after ${timeoutMs / 1000} s, for most of which it had no processor. Try again when the machine is quieter.`;
  return new OfficeError('conversion_timeout', message, true);
}

/** Why a document on the list is not tried. */
export function refused(of: Poison, timeoutMs: number): OfficeError {
  if (of === 'timeout')
    return new OfficeError(
      'conversion_timeout',
      `LibreOffice was not done with this document after ${timeoutMs / 1000} s, and would not be the next time. It is refused for an hour: make it simpler (split very long paragraphs and tables), or raise CONVERSION_TIMEOUT.`,
    );
  const what = of === 'memory' ? 'take all the memory it may have' : 'crash twice';
  return new OfficeError(
    'poisoned',
    `This document made LibreOffice ${what}. It is refused for now: make it simpler, or save it again in Word, and try that.`,
  );
}
