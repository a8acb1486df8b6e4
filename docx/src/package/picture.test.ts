import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { docx, p, partXml, relationship, unzip } from '../../test/builder.ts';
import { GIF, JPEG, PNG, SVG, emf, emfPlus, svgShowing, wmf } from '../../test/pictures.ts';
import { faults } from '../../test/read.ts';
import { DEFAULT_LIMITS, TemplateError, compile, lint } from '../index.ts';
import { sanitizeSvg } from './svg.ts';

const CANARY = 'file:///srv/canary.png';
const HOSTILE = svgShowing(CANARY);

/** A paragraph that shows the picture of a relationship. */
const blip = (attribute: string) =>
  `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="9525" cy="9525"/><wp:docPr id="1" name="x"/><a:graphic><a:graphicData uri="u"><a:blip ${attribute}/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

/** A template that shows one picture, called as its name says. */
function showing(name: string, bytes: Buffer, type?: string): Buffer {
  return docx(blip('r:embed="rIdI"') + p('{{A}}'), {
    relationships: relationship('rIdI', 'image', `media/${name}`),
    files: { [`word/media/${name}`]: bytes },
    overrides: type === undefined ? {} : { [`word/media/${name}`]: type },
  });
}

/** What the merged document holds of it, and under which type. */
function shown(name: string, bytes: Buffer, type?: string) {
  const output = compile(showing(name, bytes, type)).merge({ A: 'x' });
  expect(faults(output)).toEqual([]);
  const stated = new RegExp(`PartName="/word/media/${name}" ContentType="([^"]*)"`).exec(
    partXml(output, '[Content_Types].xml'),
  )?.[1];
  return { bytes: unzip(output).get(`word/media/${name}`), type: stated };
}

describe('a picture of a template is what its bytes are', () => {
  it.each([
    ['a.png', PNG, 'image/png'],
    ['b.emf', PNG, 'image/png'],
    ['c.bin', JPEG, 'image/jpeg'],
    ['d.gif', GIF, 'image/gif'],
    ['e.tmp', emf(Buffer.alloc(0)), 'image/x-emf'],
    ['f.dat', wmf(Buffer.alloc(0)), 'image/x-wmf'],
    ['g.png', SVG, 'image/svg+xml'],
  ])('%s', (name, bytes, type) => {
    expect(shown(name, bytes)).toEqual({ bytes, type });
  });

  it.each(['a.png', 'a.emf', 'a.wmf', 'a.jpeg', 'a.bin', 'a.svg', 'noending'])(
    'an SVG in a part called %s loses what it refers to',
    (name) => {
      for (const type of [undefined, 'image/png', 'image/x-emf', 'application/octet-stream']) {
        const { bytes, type: stated } = shown(name, HOSTILE, type);
        expect(bytes?.toString()).toMatch(/^<svg [^]*<image [^]*<\/svg>$/);
        expect(bytes?.toString()).not.toContain('canary');
        expect(stated).toBe('image/svg+xml');
      }
    },
  );

  it('packed ones are unpacked and looked at', () => {
    expect(shown('a.emz', gzipSync(PNG))).toEqual({ bytes: PNG, type: 'image/png' });
    expect(shown('a.svgz', gzipSync(HOSTILE)).bytes?.toString()).not.toContain('canary');
    expect(shown('a.svgz', gzipSync(gzipSync(SVG))).bytes).toBeUndefined();
  });

  it('drawings share the room for XML, packed or not', () => {
    const large = Buffer.from(`<svg>${' '.repeat(20_000)}</svg>`);
    const names = ['a.svg', 'b.svg', 'c.svg'];
    for (const bytes of [large, gzipSync(large)]) {
      const template = docx(p('x'), {
        relationships: names.map((name) => relationship(name, 'image', name)).join(''),
        files: Object.fromEntries(names.map((name) => [`word/${name}`, bytes])),
      });
      const output = compile(template, { limits: { xmlBytes: 50_000 } }).merge({});
      expect([...unzip(output).keys()].filter((name) => name.endsWith('.svg')).length).toBeLessThan(
        3,
      );
    }
  });

  it.each([
    ['a file that is none', Buffer.from('hello')],
    ['a PDF', Buffer.from('%PDF-1.7')],
    ['an SVG in UTF-7', Buffer.from('<?xml version="1.0" encoding="UTF-7"?><svg/>')],
    ['an SVG with a document type', Buffer.from('<!DOCTYPE svg [<!ENTITY e "x">]><svg>&e;</svg>')],
    ['a drawing in EMF+ alone', emf(emfPlus(HOSTILE, false))],
    ['an EMF whose records do not follow', emf(Buffer.alloc(8)).subarray(0, -6)],
    ['a WMF without an end', wmf(Buffer.alloc(8)).subarray(0, -6)],
  ])('%s is taken out, and lint says so', (_what, bytes) => {
    const template = showing('a.png', bytes);
    const output = compile(template).merge({ A: 'x' });
    expect([...unzip(output).keys()]).not.toContain('word/media/a.png');
    expect(partXml(output)).not.toContain('r:embed');
    expect(faults(output)).toEqual([]);
    const { ok, problems } = lint(template);
    expect(ok).toBe(true);
    expect(problems.map(({ message }) => message).join()).toContain('the image "media/a.png"');
  });

  it('a metafile keeps its drawing and loses the files that it carries', () => {
    for (const [name, bytes] of [
      ['a.emf', emf(emfPlus(HOSTILE, true))],
      ['a.emf', emf(HOSTILE)],
      ['a.emf', Buffer.concat([emf(Buffer.alloc(0)), HOSTILE])],
      ['a.wmf', wmf(HOSTILE)],
      ['a.png', gzipSync(wmf(HOSTILE))],
    ] as const) {
      const { bytes: written } = shown(name, bytes);
      expect(written?.toString('latin1')).not.toContain('canary');
      expect(written?.length).toBeGreaterThan(20);
    }
  });
});

describe('an SVG', () => {
  const data = (bytes: Buffer, type = 'image/png') =>
    `data:${type};base64,${bytes.toString('base64')}`;
  const written = (svg: Buffer) => {
    const output = compile(docx(p('{{image A}}'))).merge({ A: data(svg, 'image/svg+xml') });
    return unzip(output).get('word/media/millrace1.svg')?.toString() ?? '';
  };

  it('keeps pictures of dots in data addresses, written again', () => {
    expect(written(svgShowing(data(PNG)))).toContain(`xlink:href="${data(PNG)}"`);
    // A decoder that skips other characters than ours must not see other bytes.
    const odd = `data:image/svg+xml;base64,${PNG.toString('base64').replace(/(.{5})/g, '$1-_\n')}`;
    expect(written(svgShowing(odd))).not.toContain('-_');
  });

  it('loses an SVG in a data address, at every depth and under every name', () => {
    for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/svg+xml']) {
      const nested = svgShowing(data(svgShowing(data(HOSTILE, type)), type));
      expect(written(nested)).not.toContain('href');
    }
    expect(written(svgShowing(data(gzipSync(HOSTILE))))).not.toContain('href');
    expect(
      written(svgShowing(`data:image/svg+xml,${encodeURIComponent(HOSTILE.toString())}`)),
    ).not.toContain('href');
  });

  it('loses a style that a comment cuts in the middle of a word', () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg"><style>a{fill:ur<!-- -->l(file:///x)}</style></svg>';
    expect(written(Buffer.from(svg))).not.toContain('file:');
    const split =
      '<svg xmlns="http://www.w3.org/2000/svg"><style>@im<![CDATA[port "x"]]></style></svg>';
    expect(written(Buffer.from(split))).not.toContain('port');
  });

  it.each<[string, string, string]>([
    ['letters', 'a'.repeat(1_200_000), ''],
    ['letters in a block', `a{${'a'.repeat(1_200_000)}(}`, ''],
    ['spaces in an address', `a{fill:url(${' '.repeat(1_200_000)}#}`, ''],
    ['spaces before an address', `a{fill${' '.repeat(1_200_000)}url(#b)}`, ''],
    ['addresses', `a{${'url(#'.repeat(240_000)}}`, ''],
    ['opening braces', '{'.repeat(1_200_000), ''],
    ['rules of one name', 'rect{fill:url(#b)}'.repeat(60_000), '<rect/>'.repeat(20_000)],
    [
      'references of one element',
      Array.from({ length: 40_000 }, (_, n) => `.c{fill:url(#i${n})}`).join(''),
      `${Array.from({ length: 40_000 }, (_, n) => `<g id="i${n}"/>`).join('')}<g class="c"/>`,
    ],
  ])('with a style of 1.2 MB of %s is read in time that grows with it', (_, style, more) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><style>${style}</style>${more}</svg>`;
    expect(sanitizeSvg(Buffer.from(svg), 'a.svg', DEFAULT_LIMITS).taken.size).toBeLessThan(2);
  });

  it.each([
    ['by a rule', '<style>@media print { #a , .b { Fill : URL( "#m" ) } }</style>', 'class="b"'],
    ['by an attribute', '', `fill="url( '#m')"`],
    ['by a style', '', 'style="x:y;fill:url(#m)"'],
  ])('counts what is drawn %s', (_, style, attribute) => {
    const pattern = `<pattern id="m">${'<rect/>'.repeat(9)}</pattern>`;
    const svg = (times: number) =>
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg">${style}${pattern}${`<rect ${attribute}/>`.repeat(times)}</svg>`,
      );
    // Ten elements, five times as dear.
    expect(() => sanitizeSvg(svg(2_000), 'a.svg', DEFAULT_LIMITS)).not.toThrow();
    expect(() => sanitizeSvg(svg(2_001), 'a.svg', DEFAULT_LIMITS)).toThrow('draw more than');
  });

  it('given as data in a form that cannot be read is refused', () => {
    const template = compile(docx(p('{{image A}}')));
    for (const bytes of [emf(HOSTILE), gzipSync(HOSTILE), Buffer.from('<!DOCTYPE svg><svg/>')]) {
      expect(() => template.merge({ A: bytes })).toThrow(TemplateError);
    }
  });

  it('whose inside was taken out is reported by lint', () => {
    const template = showing(
      'a.svg',
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script><image href="${CANARY}"/><image href="${data(SVG)}"/><rect onclick="x()" width="1" height="1"/><style>a{fill:url(file:///x)}</style></svg>`,
      ),
    );
    const { ok, problems } = lint(template);
    expect(ok).toBe(true);
    expect(problems).toMatchObject(
      ['<script>', 'href of <image>', 'onclick of <rect>', '<style>'].map((what) => ({
        code: 'stripped',
        part: 'word/media/a.svg',
        message: expect.stringContaining(`${what} in an SVG picture`),
      })),
    );
    expect(lint(showing('a.svg', SVG)).problems).toEqual([]);
  });
});

describe('an SVG that draws more than is written in it', () => {
  const svg = (inner: string) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">${inner}</svg>`,
    );
  const RECT = '<rect width="1" height="1"/>';
  /** Elements of one name, each with ten references to the next one. */
  const levels = (count: number, element: string, refer: (id: string) => string) =>
    Array.from(
      { length: count + 1 },
      (_, n) =>
        `<${element} id="g${n}">${n === count ? RECT : refer(`#g${n + 1}`).repeat(10)}</${element}>`,
    ).join('');
  const use = (id: string) => `<use xlink:href="${id}"/>`;
  const line = `M0 0${'L1 1'.repeat(1_000)}`;
  const merge = (bytes: Buffer) => compile(docx(p('{{image A}}'))).merge({ A: bytes });

  it.each([
    ['uses of uses', levels(9, 'g', use)],
    ['the same by href alone', levels(9, 'symbol', (id) => `<use href="${id}"/>`)],
    ['masks in masks', levels(6, 'mask', (id) => `<rect mask="url(${id})"/>`)],
    ['clips in clips', levels(9, 'clipPath', (id) => `<rect clip-path="url('${id}')"/>`)],
    ['masks by a character’s number', levels(6, 'mask', (id) => `<rect mask="&#117;rl(${id})"/>`)],
    ['patterns in patterns', levels(6, 'pattern', (id) => `<rect style="fill:url(${id})"/>`)],
    [
      'patterns by a style sheet',
      `<style>${Array.from({ length: 9 }, (_, n) => `.c${n}{fill:url(#g${n})}`).join('')}</style>${levels(6, 'pattern', (id) => `<rect class="c${id.slice(2)}"/>`)}`,
    ],
    [
      'markers at the points of markers',
      `<marker id="a"><path d="${line}" marker-mid="url(#b)"/></marker><marker id="b">${RECT}</marker><path d="${line}" marker-mid="url(#a)"/>`,
    ],
    [
      'a pattern that is handed down',
      `<pattern id="p">${RECT.repeat(200)}</pattern><g fill="url(#p)">${RECT.repeat(500)}</g>`,
    ],
    [
      'a pattern that is handed down to what is used',
      `<pattern id="p">${RECT.repeat(200)}</pattern><g id="r">${RECT.repeat(500)}</g><use href="#r" fill="url(#p)"/>`,
    ],
    ['a circle', `<g id="a">${use('#b')}</g><g id="b">${use('#a')}</g>`],
  ])('%s: refused as data, left out of a template, and lint says so', (_what, inner) => {
    const bytes = svg(inner);
    expect(() => merge(bytes)).toThrow(
      expect.objectContaining({
        code: 'bad_image',
        message: expect.stringMatching(/own references .* draw more than 100000 elements/),
      }),
    );
    const output = compile(showing('a.svg', bytes)).merge({ A: 'x' });
    expect([...unzip(output).keys()]).not.toContain('word/media/a.svg');
    expect(lint(showing('a.svg', bytes)).problems).toMatchObject([
      { code: 'stripped', message: expect.stringContaining('100000 elements') },
      { code: 'stripped', message: expect.stringContaining('the image "media/a.svg"') },
      { code: 'stripped' },
    ]);
  });

  it.each([
    ['a page of glyphs', `<symbol id="s">${RECT}</symbol>${use('#s').repeat(5_000)}`],
    ['many elements that are written', RECT.repeat(120_000)],
    [
      'a chain of gradients',
      Array.from({ length: 500 }, (_, n) => `<linearGradient id="g${n}" href="#g${n + 1}"/>`).join(
        '',
      ),
    ],
    [
      'gradients by a style sheet',
      `<style>.a{fill:url(#g)}</style><linearGradient id="g">${'<stop/>'.repeat(9)}</linearGradient>${'<rect class="a"/>'.repeat(20_000)}`,
    ],
  ])('%s stays', (_what, inner) => {
    const written = unzip(merge(svg(inner))).get('word/media/millrace1.svg');
    expect(written?.equals(svg(inner))).toBe(true);
  });
});
