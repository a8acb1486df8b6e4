import type { Op } from '../compile/ops/ops.ts';
import { type Place, TemplateError } from '../errors.ts';
import type { HtmlPicture } from '../helpers/html-svg.ts';
import { type HtmlSpan, type HtmlText, linesOf, parseHtml } from '../helpers/html.ts';
import { LINK_LOOK, linkTarget, withProperties } from '../helpers/link.ts';
import { type Picture, emuOf, fit, pictureBytes, readPicture } from '../helpers/picture.ts';
import { QR_LEVELS, type QrLevel, qrPicture } from '../helpers/qr.ts';
import { fieldOfPath } from '../paths.ts';
import { escapeText } from '../xml/text.ts';
import { drawingXml } from './drawing.ts';
import { isEmpty } from './args.ts';
import { evaluate, noted } from './evaluate.ts';
import { writeTable } from './html-table.ts';
import type { Media, PartMedia } from './media.ts';
import { type Run, bounded } from './run.ts';
import { printed } from './printable.ts';
import { textOf } from './scope.ts';
import { field } from './unread.ts';

type DrawOp = Extract<Op, { op: 'draw' }>;

export interface DrawContext {
  readonly media: Media;
  readonly part: PartMedia;
  readonly images: ReadonlyMap<string, Uint8Array>;
  readonly textWidth: number;
  readonly strictFormat: boolean;
  readonly headingStyles: ReadonlySet<string>;
}

const LEAVE_TEXT = '</w:t>';
const THIN_PARAGRAPH =
  '<w:p><w:pPr><w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/></w:pPr></w:p>';
const ENTER_TEXT = '<w:t xml:space="preserve">';

/** Everything that writes more than text. The output stands inside `w:t`, and stands there again afterwards. */
export function createDraw(context: DrawContext): (op: DrawOp, run: Run) => void {
  return (op, run) => {
    switch (op.helper) {
      case 'pageBreak':
        run.out.raw(`${LEAVE_TEXT}<w:br w:type="page"/>${ENTER_TEXT}`);
        break;
      case 'image':
        drawImage(op, run, context);
        break;
      case 'qr':
        drawQr(op, run, context);
        break;
      case 'link':
        drawLink(op, run, context);
        break;
      default:
        drawHtml(op, run, context);
    }
  };
}

function argument(op: DrawOp, run: Run, n: number): unknown {
  const value = op.call.args[n];
  return value === undefined ? undefined : noted(run, () => evaluate(value, run, op.place));
}

function argumentText(op: DrawOp, run: Run, n: number): string {
  const value = argument(op, run, n);
  return noted(run, () => printed(value, op.call.args[n], run, op.place)) ?? '';
}

function option(op: DrawOp, run: Run, name: string, at?: Place): unknown {
  const value = op.call.named.get(name);
  return value === undefined ? undefined : evaluate(value, run, at);
}

/** A length that the tag gives or that a field holds. One that is no length is an error: the picture would have another size without a word. */
function lengthOf(op: DrawOp, run: Run, name: string): number | undefined {
  // In strict mode a field that is missing is refused: the picture would have a size of its own.
  const given = option(op, run, name, op.place);
  if (isEmpty(given)) return undefined;
  const emu = emuOf(given);
  if (emu !== undefined) return emu;
  const asked = op.call.named.get(name);
  const at = asked?.kind === 'path' ? asked.text : undefined;
  throw new TemplateError(
    'bad_value',
    `${field(at)}${name}="${textOf(given).slice(0, 60)}" is no length; write it like 4cm.`,
    { ...op.place, field: at === undefined ? undefined : fieldOfPath(at) },
  );
}

export function isUrl(value: unknown): value is string {
  return typeof value === 'string' && /^\s*https?:\/\//i.test(value);
}

function drawImage(op: DrawOp, run: Run, context: DrawContext): void {
  const value = argument(op, run, 0);
  if (value === undefined || value === null || value === '') return;
  const key = typeof value === 'string' ? value : undefined;
  const make = () => readAt(op, run, bytesOf(value, op, context));
  const file = context.media.picture(key ?? `bytes ${context.media.files.length}`, make);
  place(op, run, context, file, {
    width: lengthOf(op, run, 'width'),
    height: lengthOf(op, run, 'height'),
  });
}

function bytesOf(value: unknown, op: DrawOp, { images }: DrawContext): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (isUrl(value)) {
    const given = images.get(value.trim());
    if (given) return Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    throw new TemplateError(
      'image_not_given',
      `The image ${value.trim().slice(0, 200)} was not fetched: its host is not allowed or did not answer.`,
      op.place,
    );
  }
  const bytes = typeof value === 'string' ? pictureBytes(value) : undefined;
  if (bytes) return bytes;
  throw new TemplateError(
    'bad_image',
    'The image is neither base64 nor an https address.',
    op.place,
  );
}

/** The same error, with the place in the template. */
function readAt(op: DrawOp, { limits }: Run, bytes: Buffer): Picture {
  try {
    return readPicture(bytes, limits);
  } catch (error) {
    if (error instanceof TemplateError)
      throw new TemplateError('bad_image', error.message, op.place);
    throw error;
  }
}

function place(
  op: DrawOp,
  run: Run,
  context: DrawContext,
  file: { picture: Picture; name: string },
  asked: { width: number | undefined; height: number | undefined },
  alt = textOf(option(op, run, 'alt')),
): void {
  const { cx, cy } = fit(file.picture, asked, context.textWidth);
  const id = run.counters.nextId++;
  const relation = context.part.relate('image', file.name);
  const { strictFormat } = context;
  const svg = file.picture.ending === 'svg';
  run.out.raw(
    `${LEAVE_TEXT}${drawingXml({ cx, cy, id, relation, alt, svg, strictFormat })}${ENTER_TEXT}`,
  );
}

function drawQr(op: DrawOp, run: Run, context: DrawContext): void {
  const value = argumentText(op, run, 0);
  if (value === '') return;
  const named = op.call.named.get('level');
  const asked = named?.kind === 'path' ? named.text : textOf(option(op, run, 'level'));
  const level = (QR_LEVELS.includes(asked) ? asked : 'M') as QrLevel;
  const side = lengthOf(op, run, 'size') ?? 1_080_000; // 3 cm
  const file = context.media.picture(`qr ${level} ${side} ${value}`, () => {
    const picture = qrPicture(value, level, side);
    if (picture) return picture;
    throw new TemplateError('value_too_long', 'The value is too long for a QR code.', op.place);
  });
  place(op, run, context, file, { width: side, height: side });
}

function drawLink(op: DrawOp, run: Run, context: DrawContext): void {
  const url = argumentText(op, run, 0);
  const text = argumentText(op, run, 1) || url;
  const target = linkTarget(url);
  if (target === undefined || op.run.inLink) {
    run.out.value(bounded(text, run, op.place));
    return;
  }
  const { properties } = op.run;
  run.out.raw(
    `${LEAVE_TEXT}</w:r>${linkOpen(target, context)}<w:r>` +
      `${withProperties(properties, LINK_LOOK)}${ENTER_TEXT}`,
  );
  run.out.value(bounded(text, run, op.place));
  run.out.raw(`</w:t></w:r></w:hyperlink><w:r>${properties}${ENTER_TEXT}`);
}

/** Opens a link; the namespace is that of the document's format. */
function linkOpen(target: string, { part, strictFormat }: DrawContext): string {
  const namespace = strictFormat
    ? 'http://purl.oclc.org/ooxml/officeDocument/relationships'
    : 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  return `<w:hyperlink xmlns:r="${namespace}" r:id="${part.relate('hyperlink', target)}">`;
}

function drawHtml(op: DrawOp, run: Run, context: DrawContext): void {
  const blocks = parseHtml(bounded(argumentText(op, run, 0), run, op.place));
  const whole = op.helper === 'htmlParagraphs';
  const { properties, paragraphProperties } = op.run;
  if (whole) {
    const paragraph = (block: HtmlText) => {
      run.out.raw(`<w:p>${blockProperties(paragraphProperties, block, context)}`);
      writeSpans(block, op, run, context, true);
      run.out.raw('</w:p>');
      run.last = 'paragraph';
    };
    const raw = (xml: string) => run.out.raw(xml);
    for (const block of blocks) {
      // Word would join it with a table that ends here.
      if (block.kind === 'table' && run.last === 'table') raw(THIN_PARAGRAPH);
      if (block.kind === 'table' && writeTable(block, context.textWidth, { raw, paragraph }))
        run.last = 'table';
      else linesOf(block).forEach(paragraph);
    }
    if (blocks.length === 0) run.out.raw(`<w:p>${paragraphProperties}</w:p>`);
    // A cell may not end with a table.
    if (run.last === 'table') run.out.raw(THIN_PARAGRAPH);
    run.last = 'paragraph';
    return;
  }
  run.out.raw('</w:t></w:r>');
  blocks.flatMap(linesOf).forEach((block, index) => {
    if (index > 0) run.out.raw('<w:r><w:br/></w:r>');
    writeSpans(block, op, run, context, false);
  });
  run.out.raw(`<w:r>${properties}${ENTER_TEXT}`);
}

function writeSpans(
  block: HtmlText,
  op: DrawOp,
  run: Run,
  context: DrawContext,
  whole: boolean,
): void {
  const { headingStyles } = context;
  const { properties, inLink } = op.run;
  const bold = block.kind === 'heading' && !(whole && headingStyles.has(`Heading${block.level}`));
  if (block.kind === 'item') {
    const gap = whole ? '</w:t><w:tab/><w:t>' : ' ';
    run.out.raw(`<w:r>${properties}${ENTER_TEXT}${escapeText(block.marker)}${gap}</w:t></w:r>`);
  }
  for (const span of block.spans) {
    const target = span.href === undefined || inLink ? undefined : linkTarget(span.href);
    if (target) run.out.raw(linkOpen(target, context));
    run.out.raw(
      `<w:r>${spanProperties(properties, span, bold, target !== undefined)}${ENTER_TEXT}`,
    );
    if (span.picture) noted(run, () => drawSpan(span.picture, op, run, context));
    else run.out.value(span.text);
    run.out.raw(`</w:t></w:r>${target ? '</w:hyperlink>' : ''}`);
  }
}

/** A picture that the rich text itself holds. What it only refers to is not fetched: its description stands there instead. */
function drawSpan(
  picture: HtmlPicture | undefined,
  op: DrawOp,
  run: Run,
  context: DrawContext,
): void {
  if (picture === undefined) return;
  const { source, alt } = picture;
  if (!/^data:/i.test(source)) {
    if (run.strict)
      throw new TemplateError(
        'bad_image',
        `The rich text has a picture by its address (${source.slice(0, 80)}), which is not fetched. Give it as data:image/png;base64,… or as a field of its own for {{image Photo}}.`,
        op.place,
      );
    run.out.value(alt);
    return;
  }
  const make = () => readAt(op, run, bytesOf(source, op, context));
  const asked = { width: emuOf(picture.width), height: emuOf(picture.height) };
  place(op, run, context, context.media.picture(source, make), asked, alt);
}

function spanProperties(base: string, span: HtmlSpan, bold: boolean, link: boolean): string {
  const changes: (readonly [string, string])[] = [];
  if (link) changes.push(...LINK_LOOK);
  if (span.bold || bold) changes.push(['w:b', '<w:b/>']);
  if (span.italic) changes.push(['w:i', '<w:i/>']);
  if (span.strike) changes.push(['w:strike', '<w:strike/>']);
  if (span.underline && !link) changes.push(['w:u', '<w:u w:val="single"/>']);
  if (span.color !== undefined && !link)
    changes.push(['w:color', `<w:color w:val="${span.color}"/>`]);
  if (span.vertical) changes.push(['w:vertAlign', `<w:vertAlign w:val="${span.vertical}"/>`]);
  return changes.length === 0 ? base : withProperties(base, changes);
}

/** The elements that must come after the indentation in a paragraph's properties: their order is fixed. */
const AFTER_INDENT =
  /<w:(?:contextualSpacing|mirrorIndents|suppressOverlap|jc|textDirection|textAlignment|textboxTightWrap|outlineLvl|divId|cnfStyle|rPr|sectPr|pPrChange)\b/;

function blockProperties(base: string, block: HtmlText, { headingStyles }: DrawContext): string {
  let inner = /^<w:pPr>([^]*)<\/w:pPr>$/.exec(base)?.[1] ?? '';
  const style = `Heading${block.level}`;
  if (block.kind === 'heading' && headingStyles.has(style)) {
    inner = inner.replace(/<w:pStyle\b[^>]*\/>/, '');
    inner = `<w:pStyle w:val="${style}"/>${inner}`;
  }
  if (block.kind === 'item') {
    inner = inner.replace(/<w:ind\b[^>]*\/>/, '').replace(/<w:numPr>[^]*?<\/w:numPr>/, '');
    const at = AFTER_INDENT.exec(inner)?.index ?? inner.length;
    const indent = `<w:ind w:left="${block.level * 567}" w:hanging="283"/>`;
    inner = inner.slice(0, at) + indent + inner.slice(at);
  }
  return inner === '' ? '' : `<w:pPr>${inner}</w:pPr>`;
}
