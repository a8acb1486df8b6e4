import { PDFDocument } from '@cantoo/pdf-lib';
import { copyPages } from './pdf-copy.ts';
import { type PdfWriter, createPdfWriter } from './pdf-writer.ts';

/**
 * Many PDFs as one: each is read, written and let go before the next comes. A document begins on a page of its own and
 * has an entry in the outline. Equal input gives equal bytes.
 */
export interface PdfMerge {
  add(name: string, pdf: Uint8Array): Promise<Added>;
  /** The outline, the page tree and the table of objects. */
  end(): Uint8Array;
}

export type Added =
  /** The next bytes of the merged file. */
  | { readonly type: 'added'; readonly bytes: Uint8Array }
  | { readonly type: 'refused'; readonly why: 'password' | 'broken' };

interface Entry {
  readonly name: string;
  readonly firstPage: number;
  readonly top: number;
}

/** A node of the page tree: a document's pages, or other nodes. */
interface Node {
  readonly number: number;
  readonly pages: number;
  readonly kids: readonly number[];
}

/** So many below each node: a viewer finds page 50,000 in a few steps. */
const FAN = 64;

export function createPdfMerge(title: string): PdfMerge {
  const writer = createPdfWriter();
  const nodes: Node[] = [];
  const entries: Entry[] = [];

  return {
    async add(name, pdf) {
      try {
        const document = await PDFDocument.load(pdf, {
          updateMetadata: false,
          // Nobody else waits for this thread.
          parseSpeed: Infinity,
          throwOnInvalidObject: true,
        });
        const number = writer.reserve();
        const { pages, top } = copyPages(document, writer, number);
        const [firstPage] = pages;
        if (firstPage === undefined) return { type: 'refused', why: 'broken' };
        nodes.push({ number, pages: pages.length, kids: pages });
        entries.push({ name, firstPage, top });
        return { type: 'added', bytes: writer.take() };
      } catch {
        // A password is recognised by /Encrypt in the file and not by the error: with packed objects, reading fails
        // before anything asks for the password.
        const isLocked = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length).includes('/Encrypt');
        return { type: 'refused', why: isLocked ? 'password' : 'broken' };
      }
    },
    end() {
      const pages = writePageTree(writer, nodes);
      const outline = writeOutline(writer, entries);
      const root = writer.reserve();
      const view = `/Outlines ${outline} 0 R/PageMode/UseOutlines`;
      writer.write(root, `<</Type/Catalog/Pages ${pages} 0 R${view}>>`);
      const info = writer.reserve();
      writer.write(info, `<</Title${textOf(title)}/Producer${textOf('Millrace')}>>`);
      return writer.end(root, info);
    },
  };
}

function writePageTree(writer: PdfWriter, documents: readonly Node[]): number {
  let level = documents;
  while (level.length !== 1) {
    const above: Node[] = [];
    // Once at least, so that a tree without documents has a root.
    for (let at = 0; at === 0 || at < level.length; at += FAN) {
      const below = level.slice(at, at + FAN);
      const number = writer.reserve();
      for (const node of below) writeNode(writer, node, `/Parent ${number} 0 R`);
      const pages = below.reduce((sum, node) => sum + node.pages, 0);
      above.push({ number, pages, kids: below.map((node) => node.number) });
    }
    level = above;
  }
  for (const root of level) writeNode(writer, root, '');
  return level[0]?.number ?? 0;
}

function writeNode(writer: PdfWriter, { number, pages, kids }: Node, parent: string): void {
  const below = kids.map((kid) => `${kid} 0 R`).join(' ');
  writer.write(number, `<</Type/Pages${parent}/Count ${pages}/Kids[${below}]>>`);
}

function writeOutline(writer: PdfWriter, entries: readonly Entry[]): number {
  const outline = writer.reserve();
  const numbers = entries.map(() => writer.reserve());
  const link = (key: string, number: number | undefined): string =>
    number === undefined ? '' : `/${key} ${number} 0 R`;
  for (const [index, { name, firstPage, top }] of entries.entries()) {
    const beside = link('Prev', numbers[index - 1]) + link('Next', numbers[index + 1]);
    // The top of the page, at whatever size the reader has chosen.
    const place = `/Dest[${firstPage} 0 R/XYZ null ${top} null]`;
    writer.write(
      numbers[index] ?? 0,
      `<</Title${textOf(name)}/Parent ${outline} 0 R${beside}${place}>>`,
    );
  }
  const ends = link('First', numbers[0]) + link('Last', numbers.at(-1));
  writer.write(outline, `<</Type/Outlines${ends}/Count ${numbers.length}>>`);
  return outline;
}

/** In UTF-16, which a PDF tells by its mark; in hexadecimal, so that nothing needs escaping. */
function textOf(text: string): string {
  return `<${Buffer.from(`\uFEFF${text}`, 'utf16le').swap16().toString('hex')}>`;
}
