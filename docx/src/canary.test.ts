import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { docx, p, relationship } from '../test/builder.ts';
import { convert } from '../test/office.ts';
import { emf, emfPlus, png, svgShowing } from '../test/pictures.ts';
import { compile } from './index.ts';
import { drawingXml } from './merge/drawing.ts';

/** Pictures of a template, each with a way to an image file on the disk of the machine that converts. */
function routes(canary: string): [name: string, bytes: Buffer][] {
  const hostile = svgShowing(canary);
  const inData = svgShowing(`data:image/png;base64,${hostile.toString('base64')}`);
  return [
    ['svg.png', hostile],
    ['svg.emf', hostile],
    ['svg.wmf', hostile],
    ['nested.png', inData],
    ['plus.emf', emf(emfPlus(hostile, true))],
  ];
}

function templateOf(pictures: readonly [string, Buffer][]): Buffer {
  const draw = (index: number) => {
    const of = { cx: 900_000, cy: 450_000, alt: '', svg: false, strictFormat: false };
    return `<w:p><w:r>${drawingXml({ ...of, id: index + 1, relation: `rIdI${index}` })}</w:r></w:p>`;
  };
  return docx(pictures.map((_, index) => draw(index)).join('') + p('{{image Given}}'), {
    relationships: pictures
      .map(([name], i) => relationship(`rIdI${i}`, 'image', `media/${name}`))
      .join(''),
    files: Object.fromEntries(pictures.map(([name, bytes]) => [`word/media/${name}`, bytes])),
    overrides: Object.fromEntries(pictures.map(([name]) => [`word/media/${name}`, 'image/png'])),
  });
}

describe('an image file on the disk of the converter', () => {
  it('comes into no document, by whatever name a picture goes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-canary-'));
    try {
      const file = join(folder, 'canary.png');
      await writeFile(file, png(4, 2));
      const canary = pathToFileURL(file).href;
      const template = templateOf(routes(canary));
      // The template itself shows it: without that, the test would prove nothing.
      expect((await convert(template)).pictures).toBeGreaterThan(0);
      const given = svgShowing(
        `data:image/png;base64,${svgShowing(canary).toString('base64')}`,
      ).toString();
      const output = compile(template).merge({ Given: given });
      expect((await convert(output)).pictures).toBe(0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 120_000);
});
