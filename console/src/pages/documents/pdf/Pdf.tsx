import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Box, findText } from './find.ts';
import { type PaintedPage, paintPage } from './paint.ts';
import { openPdf } from './pdfjs.ts';

/** Something to show on the page, where the first of its texts is found. */
export interface Mark {
  readonly key: string;
  readonly texts: readonly string[];
  readonly look: 'pin' | 'frame';
  readonly tone: 'error' | 'warning' | 'focus';
  readonly label: string;
}

const MOST_PAGES = 30;

/** A PDF as pages. The pages before stay until the new ones are painted: nothing flickers while somebody types. */
export function Pdf({
  bytes,
  name,
  marks = [],
  widest = 860,
  onPages,
  overlay,
}: {
  readonly bytes: Uint8Array | null;
  readonly name: string;
  readonly marks?: readonly Mark[];
  readonly widest?: number;
  readonly onPages?: (pages: readonly PaintedPage[]) => void;
  readonly overlay?: (page: PaintedPage) => ReactNode;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame, widest);
  const { pages, count, wrong } = usePainted(bytes, width * Math.min(devicePixelRatio, 2));
  useEffect(() => onPages?.(pages), [pages, onPages]);
  return (
    <div ref={frame} className="flex w-full flex-col items-center gap-4">
      {wrong !== null && <p className="text-failed">{wrong}</p>}
      {pages.map((page) => (
        <figure
          key={page.number}
          className="relative w-full bg-white shadow-[0_0_0_1px_var(--line),var(--e2)]"
          style={{ maxWidth: widest, aspectRatio: `1 / ${page.ratio}` }}
        >
          <CanvasHost canvas={page.canvas} label={`${name}, page ${page.number} of ${count}`} />
          <figcaption className="sr-only">
            {page.letters.map(({ text }) => text).join(' ')}
          </figcaption>
          {overlay?.(page)}
          {marks.map((mark) => {
            const box = firstOf(page, mark.texts);
            return box !== null && <Marked key={mark.key} mark={mark} box={box} />;
          })}
        </figure>
      ))}
      {count > pages.length && pages.length > 0 && (
        <p className="text-small text-ink-3">{count - pages.length} more pages are not shown.</p>
      )}
    </div>
  );
}

function firstOf({ letters }: PaintedPage, texts: readonly string[]): Box | null {
  for (const text of texts) {
    const box = findText(letters, text);
    if (box !== null) return box;
  }
  return null;
}

const FRAMES = {
  error: 'border-failed-fill bg-failed-fill/15',
  warning: 'border-retrying-fill bg-retrying-fill/15',
  focus: 'border-water-1 bg-water-2/25',
} as const;

function Marked({ mark: { look, tone, label }, box }: { mark: Mark; box: Box }) {
  const frame = (
    <i
      className={`absolute rounded-token border-[1.5px] ${FRAMES[tone]}`}
      style={{
        left: `calc(${100 * box.left}% - 3px)`,
        top: `calc(${100 * box.top}% - 1px)`,
        width: `calc(${100 * box.width}% + 6px)`,
        height: `calc(${100 * box.height}% + 3px)`,
      }}
    />
  );
  if (look === 'frame') return frame;
  return (
    <>
      {frame}
      <b
        className="absolute"
        style={{
          left: `min(calc(${100 * (box.left + box.width)}% + 8px), calc(100% - 18px))`,
          top: `calc(${100 * (box.top + box.height / 2)}% - 9px)`,
        }}
      >
        <Pin tone={tone === 'error' ? 'error' : 'warning'}>{label}</Pin>
      </b>
    </>
  );
}

/** Square for an error, a drop for a warning; the same number stands in the list. */
export function Pin({ tone, children }: { tone: 'error' | 'warning'; children: ReactNode }) {
  return (
    <span
      className={`inline-grid size-4.5 flex-none place-items-center text-axis font-semibold ${tone === 'error' ? 'rounded-token bg-failed text-surface' : 'rounded-full rounded-bl-[3px] bg-retrying text-surface'}`}
    >
      {children}
    </span>
  );
}

/** A canvas that was painted elsewhere, put in place. */
export function CanvasHost({ canvas, label }: { canvas: HTMLCanvasElement; label: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    host.current?.replaceChildren(canvas);
  }, [canvas]);
  return (
    <div
      ref={host}
      role="img"
      aria-label={label}
      className="absolute inset-0 [&>canvas]:size-full"
    />
  );
}

function useWidth(frame: React.RefObject<HTMLDivElement | null>, widest: number): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(([entry]) => {
      const measured = Math.min(Math.round(entry?.contentRect.width ?? 0), widest);
      clearTimeout(timer);
      // Painting is dear: while a window is dragged the browser scales what is there.
      timer = setTimeout(() => setWidth(measured), width === 0 ? 0 : 150);
    });
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [frame, widest, width]);
  return width;
}

function usePainted(bytes: Uint8Array | null, width: number) {
  const [shown, setShown] = useState<{
    pages: readonly PaintedPage[];
    count: number;
    wrong: string | null;
  }>({ pages: [], count: 0, wrong: null });
  useEffect(() => {
    if (bytes === null) setShown({ pages: [], count: 0, wrong: null });
    if (bytes === null || width === 0) return undefined;
    const stop = new AbortController();
    paintAll(bytes, width, stop.signal, (pages, count) =>
      setShown({ pages, count, wrong: null }),
    ).catch((error: unknown) => {
      if (!stop.signal.aborted)
        setShown({ pages: [], count: 0, wrong: `The PDF cannot be shown: ${String(error)}` });
    });
    return () => stop.abort();
  }, [bytes, width]);
  return shown;
}

/** The first page is shown as soon as it is there, together with those of before that follow it. */
async function paintAll(
  bytes: Uint8Array,
  width: number,
  signal: AbortSignal,
  show: (pages: readonly PaintedPage[], count: number) => void,
): Promise<void> {
  const pdf = await openPdf(bytes);
  try {
    const pages: PaintedPage[] = [];
    const most = Math.min(pdf.numPages, MOST_PAGES);
    for (let number = 1; number <= most && !signal.aborted; number++) {
      const page = await paintPage(pdf, number, width, signal);
      if (page === null) return;
      pages.push(page);
      if (number === 1 || number === most) show([...pages], pdf.numPages);
    }
  } finally {
    await pdf.loadingTask.destroy();
  }
}
