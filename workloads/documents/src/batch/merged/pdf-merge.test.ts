import { PDFArray, PDFDict, PDFDocument, PDFName, type PDFObject, PDFRef } from '@cantoo/pdf-lib';
import { describe, expect, test } from 'vitest';
import { look, pdfOf } from '../../../test/pdf.ts';
import { createPdfMerge } from './pdf-merge.ts';

async function merged(documents: readonly (readonly [string, Uint8Array])[]): Promise<Buffer> {
  const merge = createPdfMerge('batch-1');
  const parts: Uint8Array[] = [];
  for (const [name, pdf] of documents) {
    const added = await merge.add(name, pdf);
    if (added.type !== 'added') throw new Error(`${name}: ${added.why}`);
    parts.push(added.bytes);
  }
  return Buffer.concat([...parts, merge.end()]);
}

describe('PDFs are merged', () => {
  test('in their order, each on its own page and in the outline under its name', async () => {
    const pdf = await merged([
      ['Ä & B.pdf', await pdfOf('one', 'two')],
      ['c (2).pdf', await pdfOf('three')],
      ['日本.pdf', await pdfOf('four')],
    ]);
    const seen = look(pdf);
    expect(seen).toMatchObject({ pages: ['one', 'two', 'three', 'four'], complaints: '' });
    expect(seen.outline).toEqual([
      { title: 'Ä &amp; B.pdf', page: 1 },
      { title: 'c (2).pdf', page: 3 },
      { title: '日本.pdf', page: 4 },
    ]);
    // To the top of a page that is 200 high.
    expect(pdf.toString('latin1').match(/\/XYZ null 200 null/g)).toHaveLength(3);
    expect(seen.facts).toMatch(/^Title: +batch-1$/m);
    expect(seen.facts).not.toMatch(/Date/);
  });

  test('to the same bytes from the same ones', async () => {
    const documents = [['a.pdf', await pdfOf('one')]] as const;
    expect((await merged(documents)).equals(await merged(documents))).toBe(true);
  });

  test('by the hundred', async () => {
    const one = await pdfOf('again');
    const names = Array.from({ length: 200 }, (_, index) => `${index + 1}.pdf`);
    const pdf = await merged(names.map((name) => [name, one] as const));
    const { pages, outline, complaints } = look(pdf);
    expect(pages).toEqual(names.map(() => 'again'));
    expect(outline).toEqual(names.map((title, index) => ({ title, page: index + 1 })));
    expect(complaints).toBe('');
    const { catalog } = await PDFDocument.load(pdf);
    expect(catalog.Pages().Kids().size()).toBe(4);
  });

  test('with what they have in common once', async () => {
    const logo = Buffer.alloc(50_000, 'logo');
    const withLogo = async (text: string) => {
      const document = await PDFDocument.load(await pdfOf(text));
      const ref = document.context.register(document.context.stream(logo));
      const logos = document.context.obj({ deep: [ref] });
      document.getPage(0).node.Resources()?.set(PDFName.of('Logos'), logos);
      return document.save({ useObjectStreams: false });
    };
    const pdf = await merged([
      ['a.pdf', await withLogo('one')],
      ['b.pdf', await withLogo('two')],
    ]);
    expect(pdf.length).toBeLessThan(60_000);
    expect(look(pdf)).toMatchObject({ pages: ['one', 'two'], complaints: '' });
  });

  test('with the size, turn and fonts that their pages inherit', async () => {
    const source = await PDFDocument.load(await pdfOf('one'));
    const { node } = source.getPage(0);
    const parent = node.Parent();
    for (const name of ['MediaBox', 'Resources']) {
      parent?.set(PDFName.of(name), node.get(PDFName.of(name)) ?? source.context.obj(null));
      node.delete(PDFName.of(name));
    }
    parent?.set(PDFName.of('Rotate'), source.context.obj(90));
    const pdf = await merged([['a.pdf', await source.save({ useObjectStreams: false })]]);
    const [page] = (await PDFDocument.load(pdf)).getPages();
    expect(page?.getSize()).toEqual({ width: 300, height: 200 });
    expect(page?.getRotation().angle).toBe(90);
    expect(look(pdf)).toMatchObject({ pages: ['one'], complaints: '' });
  });

  test('with links from page to page, and objects that lead back to themselves', async () => {
    const source = await PDFDocument.load(await pdfOf('contents', 'chapter'));
    const { context } = source;
    const [first, second] = source.getPages();
    const popup = context.nextRef();
    const link = context.register(
      context.obj({
        Type: 'Annot',
        Subtype: 'Link',
        Rect: [0, 0, 100, 100],
        Dest: [second?.ref, 'Fit'],
        P: first?.ref,
        Popup: popup,
        StructParent: 3,
      }),
    );
    context.assign(popup, context.obj({ Type: 'Annot', Subtype: 'Popup', Parent: link }));
    first?.node.set(PDFName.Annots, context.obj([link, popup]));
    const pdf = await merged([
      ['a.pdf', await pdfOf('cover')],
      ['b.pdf', await source.save({ useObjectStreams: false })],
    ]);
    const document = await PDFDocument.load(pdf);
    const [, from, to] = document.getPages();
    const annotation = from?.node.Annots()?.lookup(0, PDFDict);
    const member = (name: string): PDFObject | undefined => annotation?.get(PDFName.of(name));
    expect((member('Dest') as PDFArray).get(0)).toBe(to?.ref);
    expect(member('P')).toBe(from?.ref);
    expect(annotation?.lookup(PDFName.of('Popup'), PDFDict).get(PDFName.Parent)).toBe(
      from?.node.Annots()?.get(0),
    );
    expect(member('StructParent')).toBeUndefined();
    // No page twice: each is in the tree, and nowhere else.
    const pages = document.context
      .enumerateIndirectObjects()
      .filter(
        ([, object]) => object instanceof PDFDict && object.get(PDFName.Type) === PDFName.Page,
      );
    expect(pages).toHaveLength(3);
    expect(look(pdf).complaints).toBe('');
  });

  test('with another name for each subset of a font', async () => {
    const subset = async (program: string) => {
      const document = await PDFDocument.load(await pdfOf(program));
      const { context } = document;
      const file = context.register(context.stream(program));
      const descriptor = context.register(
        context.obj({ Type: 'FontDescriptor', FontName: 'BAAAAA+Sans', FontFile2: file }),
      );
      const font = { Type: 'Font', Subtype: 'TrueType', BaseFont: 'BAAAAA+Sans' };
      const below = context.register(context.obj({ ...font, FontDescriptor: descriptor }));
      const type0 = { Type: 'Font', Subtype: 'Type0', BaseFont: 'BAAAAA+Sans' };
      const above = context.register(context.obj({ ...type0, DescendantFonts: [below] }));
      const fonts = document.getPage(0).node.Resources()?.lookup(PDFName.Font, PDFDict);
      fonts?.set(PDFName.of('Own'), above);
      return document.save({ useObjectStreams: false });
    };
    const pdf = await merged([
      ['a.pdf', await subset('A')],
      ['b.pdf', await subset('B')],
      ['c.pdf', await subset('A')],
    ]);
    const text = pdf.toString('latin1');
    const names = [...text.matchAll(/\/(?:BaseFont|FontName) \/([A-Z]{6})\+Sans/g)].map(
      ([, tag]) => tag,
    );
    // Three dictionaries name it in each of two subsets; the third document brings nothing new.
    expect(names).toHaveLength(6);
    expect(new Set(names).size).toBe(2);
    expect(names).not.toContain('BAAAAA');
  });
});

describe('a PDF is refused', () => {
  const refusalOf = async (pdf: Uint8Array) => createPdfMerge('x').add('a.pdf', pdf);
  const broken = { type: 'refused', why: 'broken' };

  test.each([true, false])('that has a password, its objects packed: %s', async (packed) => {
    const source = await PDFDocument.load(await pdfOf('secret'));
    source.encrypt({ userPassword: 'x', ownerPassword: 'y' });
    const pdf = await source.save({ useObjectStreams: packed });
    expect(await refusalOf(pdf)).toEqual({ type: 'refused', why: 'password' });
  });

  test('that is none, or not whole', async () => {
    expect(await refusalOf(Buffer.from('%PDF Dear Ann'))).toEqual(broken);
    expect(await refusalOf(Buffer.alloc(0))).toEqual(broken);
    const whole = await pdfOf('one');
    for (const part of [0.3, 0.6, 0.8])
      expect(await refusalOf(whole.subarray(0, whole.length * part))).toEqual(broken);
  });

  test('that has no pages, or has lost what is on one', async () => {
    const none = await PDFDocument.create();
    expect(await refusalOf(await none.save({ addDefaultPage: false }))).toEqual(broken);
    const lost = await PDFDocument.load(await pdfOf('one'));
    lost.getPage(0).node.set(PDFName.Contents, PDFRef.of(999));
    expect(await refusalOf(await lost.save({ useObjectStreams: false }))).toEqual(broken);
  });
});
