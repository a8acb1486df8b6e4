import type { PdfDocument } from './pdfjs.ts';
import type { Letters } from './find.ts';

/** A page as it was painted, with where its letters are. */
export interface PaintedPage {
  readonly number: number;
  readonly canvas: HTMLCanvasElement;
  /** Height for a width of one. */
  readonly ratio: number;
  readonly letters: readonly Letters[];
}

/** `width` in pixels of the screen. Null where it was given up meanwhile. */
export async function paintPage(
  pdf: PdfDocument,
  number: number,
  width: number,
  signal: AbortSignal,
): Promise<PaintedPage | null> {
  const page = await pdf.getPage(number);
  const plain = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: width / plain.width });
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  const task = page.render({ canvas, viewport });
  const stop = (): void => task.cancel();
  signal.addEventListener('abort', stop);
  try {
    await task.promise;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  const text = await page.getTextContent();
  if (signal.aborted) return null;
  const letters = text.items.flatMap((item) => {
    if (!('str' in item) || item.str === '') return [];
    const [, , c = 0, d = 0, x = 0, y = 0] = item.transform as number[];
    const height = Math.hypot(c, d);
    return [
      {
        text: item.str,
        left: x / plain.width,
        top: 1 - (y + height) / plain.height,
        width: item.width / plain.width,
        height: (height * 1.2) / plain.height,
      },
    ];
  });
  return { number, canvas, ratio: plain.height / plain.width, letters };
}
