import { expect, test } from 'vitest';
import { decodePng } from '../../test/documents.ts';
import type { KitDocument } from './kit.ts';
import { encodePng, firstPage, paintThumbnail } from './thumbnail.ts';

function rowsOf(png: Buffer): { width: number; height: number; rows: number[] } {
  const { rows, ...size } = decodePng(png);
  return { ...size, rows: [...rows] };
}

test('pixels come out as red, green and blue, whatever their order', () => {
  const bgra = Buffer.from([1, 2, 3, 255, 10, 20, 30, 255]);
  expect(rowsOf(encodePng(bgra, { width: 2, height: 1, order: 'bgra' }))).toEqual({
    width: 2,
    height: 1,
    rows: [0, 3, 2, 1, 30, 20, 10],
  });
  expect(rowsOf(encodePng(bgra, { width: 1, height: 2, order: 'rgba' })).rows).toEqual([
    0, 1, 2, 3, 0, 10, 20, 30,
  ]);
});

test('where nothing was painted, the paper is white', () => {
  const pixels = Buffer.from([0, 0, 0, 0, 60, 50, 40, 127]); // clear, and half clear
  expect(rowsOf(encodePng(pixels, { width: 2, height: 1, order: 'rgba' })).rows).toEqual([
    0, 255, 255, 255, 188, 178, 168,
  ]);
});

test('the first page is painted as wide as asked for', () => {
  expect(firstPage('284, 284, 12240, 15840; 284, 16408, 12240, 15840')).toEqual({
    x: 284,
    y: 284,
    width: 12_240,
    height: 15_840,
  });
  expect(() => firstPage('')).toThrow('no page');
  const asked: unknown[] = [];
  const document = (pages: string): KitDocument => ({
    saveAs() {},
    pages: () => pages,
    paint: (area, size) => {
      asked.push([area, size]);
      return { pixels: Buffer.alloc(size.width * size.height * 4), order: 'rgba' };
    },
    refreshIndexes() {},
    destroy() {},
  });
  paintThumbnail(document('0, 0, 1000, 2000'), 10);
  paintThumbnail(document('0, 0, 1000, 90000'), 10); // a till roll: its beginning
  expect(asked).toEqual([
    [
      { x: 0, y: 0, width: 1000, height: 2000 },
      { width: 10, height: 20 },
    ],
    [
      { x: 0, y: 0, width: 1000, height: 4000 },
      { width: 10, height: 40 },
    ],
  ]);
});
