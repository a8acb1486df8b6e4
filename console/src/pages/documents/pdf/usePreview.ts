import { useEffect, useState } from 'react';
import { useApi } from '../../../data/client.ts';

export interface PreviewAsked {
  /** A version or a name. */
  readonly template: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly locale?: string | undefined;
  readonly dataLocale?: string | undefined;
}

export interface Preview {
  readonly bytes: Uint8Array | null;
  readonly error: unknown;
  /** How long the server took. */
  readonly ms: number | null;
  readonly isBusy: boolean;
}

/** Longer than the time between two keys of somebody who types, short enough that a page is there within half a second. */
const DELAY_MS = 120;

/** A document from sample data, made again after each change. A newer one ends an older one; the last good one stays. */
export function usePreview(asked: PreviewAsked | null, delayMs = DELAY_MS): Preview {
  const api = useApi();
  const [preview, setPreview] = useState<Preview>({
    bytes: null,
    error: null,
    ms: null,
    isBusy: false,
  });
  const key = asked === null ? null : JSON.stringify(asked);
  useEffect(() => {
    if (key === null) return undefined;
    const { template, ...body } = JSON.parse(key) as PreviewAsked;
    const stop = new AbortController();
    const make = async (): Promise<void> => {
      setPreview((before) => ({ ...before, isBusy: true }));
      const begun = performance.now();
      try {
        const response = await api.previewTemplate(
          { params: { id: template }, body: { ...body, outputFormat: 'PDF' } },
          { signal: stop.signal },
        );
        const bytes = new Uint8Array(await response.arrayBuffer());
        setPreview({ bytes, error: null, ms: performance.now() - begun, isBusy: false });
      } catch (error) {
        if (!stop.signal.aborted) setPreview((before) => ({ ...before, error, isBusy: false }));
      }
    };
    const timer = setTimeout(() => void make(), delayMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [api, key, delayMs]);
  return preview;
}
