import { describe, expect, it } from 'vitest';
import { docx, p, partXml, r, unzip, zip } from '../../test/builder.ts';
import { GIF, JPEG, PHOTO, PNG, SVG, png } from '../../test/pictures.ts';
import { merged, mergedFile } from '../../test/merge.ts';
import { faults, textLines } from '../../test/read.ts';
import { type MergeOptions, compile, lint } from '../index.ts';

const line = (tag: string, data: unknown, options?: MergeOptions) =>
  merged(p(tag), data, options)[0];
const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

describe('image', () => {
  const drawn = (tag: string, data: unknown, options?: MergeOptions) => {
    const output = mergedFile(p(`a ${tag} b`), data, options);
    const xml = partXml(output);
    const [, cx, cy] = /<wp:extent cx="(\d+)" cy="(\d+)"/.exec(xml) ?? [];
    return {
      output,
      xml,
      cx: Number(cx),
      cy: Number(cy),
      media: [...unzip(output).keys()].filter((name) => name.includes('media')),
    };
  };

  it.each([
    ['PNG', PNG, 'png', 2],
    ['JPEG', JPEG, 'jpeg', 2],
    ['GIF', GIF, 'gif', 1],
    ['SVG', SVG, 'svg', 2],
  ])('puts a %s in, in its own proportions', (_kind, bytes, ending, ratio) => {
    const { cx, cy, media, output } = drawn('{{image A width=4cm}}', {
      A: bytes.toString('base64'),
    });
    expect(cx).toBe(1_440_000);
    expect(cx / cy).toBeCloseTo(ratio, 1);
    expect(media).toEqual([`word/media/millrace1.${ending}`]);
    expect(partXml(output, '[Content_Types].xml')).toContain(`Extension="${ending}"`);
    expect(textLines(output)).toEqual(['a [picture] b']);
  });

  it('takes data URIs, raw SVG and bytes', () => {
    for (const A of [
      `data:image/png;base64,${PNG.toString('base64')}`,
      SVG.toString(),
      `data:image/svg+xml,${encodeURIComponent(SVG.toString())}`,
      PNG,
    ]) {
      expect(drawn('{{image A}}', { A }).media).toHaveLength(1);
    }
  });

  it('measures in all units, by width, height or both, and keeps within the text', () => {
    const A = PNG.toString('base64');
    expect(drawn('{{image A}}', { A })).toMatchObject({ cx: 4 * 9525, cy: 2 * 9525 });
    expect(drawn('{{image A height=1in}}', { A })).toMatchObject({ cx: 1_828_800, cy: 914_400 });
    expect(drawn('{{image A width=72pt height=10mm}}', { A })).toMatchObject({
      cx: 914_400,
      cy: 360_000,
    });
    expect(drawn('{{image A width=W}}', { A, W: '2cm' }).cx).toBe(720_000);
    const wide = '<svg xmlns="http://www.w3.org/2000/svg" width="5000" height="100"/>';
    expect(drawn('{{image A}}', { A: wide }).cx).toBe((11906 - 2 * 1134) * 635);
  });

  it('is named for those who cannot see it', () => {
    expect(
      drawn('{{image A alt=Name}}', { A: PNG.toString('base64'), Name: 'A "mill" & race' }).xml,
    ).toContain('descr="A &quot;mill&quot; &amp; race"');
  });

  it('is stored once however often it is shown, in every part', () => {
    const A = PNG.toString('base64');
    const output = compile(
      docx(p('{{#each L}}{{image ../A}}{{/each}}'), { header: p('{{image A}}') }),
    ).merge({ A, L: [1, 2, 3] });
    expect(faults(output)).toEqual([]);
    expect([...unzip(output).keys()].filter((name) => name.includes('media'))).toHaveLength(1);
    expect(partXml(output, 'word/_rels/header1.xml.rels')).toContain('media/millrace1.png');
  });

  it('by its address must have been fetched', () => {
    const template = compile(docx(p('{{#each L}}{{#if Show}}{{image Url}}{{/if}}{{/each}}')));
    const data = {
      L: [
        { Show: true, Url: 'https://e.example/a.png' },
        { Show: false, Url: 'https://e.example/b.png' },
        { Show: true, Url: ' https://e.example/a.png' },
      ],
    };
    expect(template.imagesNeeded(data)).toEqual(['https://e.example/a.png']);
    expect(() => template.merge(data)).toThrow(code('image_not_given'));
    expect(
      textLines(template.merge(data, { images: new Map([['https://e.example/a.png', PNG]]) })),
    ).toEqual(['[picture][picture]']);
  });

  it('is nothing when it is empty, and refused when it is none', () => {
    expect(textLines(drawn('{{image A}}', { A: null }).output)).toEqual(['a  b']);
    for (const A of [
      'aGVsbG8=',
      '!!',
      'javascript:x',
      5,
      'data:image/png;base64,AAAA',
      '<svg',
      '<html/>',
    ]) {
      expect(() => drawn('{{image A}}', { A })).toThrow(code('bad_image'));
    }
    expect(() =>
      drawn('{{image A}}', { A: PNG.toString('base64') }, { limits: { imageBytes: 10 } }),
    ).toThrow(code('bad_image'));
    expect(() => drawn('{{image A}}', { A: JPEG.subarray(0, 15).toString('base64') })).toThrow(
      code('bad_image'),
    );
    expect(() =>
      drawn('{{image A}}', {
        A: '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>',
      }),
    ).toThrow(code('bad_image'));
  });

  it.each([
    ['PNG', png(40, 30)],
    ['JPEG', PHOTO],
    ['GIF', GIF],
  ])('is refused when its end is missing, wherever the %s was cut', (_kind, bytes) => {
    expect(drawn('{{image A}}', { A: bytes }).media).toHaveLength(1);
    expect(drawn('{{image A}}', { A: Buffer.concat([bytes, Buffer.alloc(9)]) }).media).toHaveLength(
      1,
    );
    for (let length = 1; length < bytes.length; length++) {
      const act = () => drawn('{{image A}}', { A: bytes.subarray(0, length) });
      expect(act, `${length} of ${bytes.length} bytes`).toThrow(code('bad_image'));
    }
    const half = () => drawn('{{image A}}', { A: bytes.subarray(0, bytes.length - 1) });
    expect(half).toThrow('is damaged or ends too early');
  });

  it('is refused when pixels of a PNG are others than were written', () => {
    const bytes = Buffer.from(png(40, 30));
    bytes[60] = (bytes[60] ?? 0) ^ 1;
    expect(() => drawn('{{image A}}', { A: bytes })).toThrow(code('bad_image'));
  });

  it.each(['{{image A width="banana"}}', '{{image A height=4em}}', '{{image A width=50%}}'])(
    '%s is refused with what to write',
    (tag) => {
      const [problem] = lint(docx(p(tag))).problems;
      expect(problem).toMatchObject({ severity: 'error', code: 'bad_tag' });
      expect(problem?.message).toContain('is no length. Write it in cm, mm, in, pt or px: ');
    },
  );

  it('takes its size from a field, which lint says unless it knows the data', () => {
    const bytes = docx(p('{{image A width=banana}}'));
    expect(lint(bytes).problems).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'size_from_data',
        message:
          'width=banana takes the length from the field "banana". A length itself is written like width=4cm.',
      }),
    ]);
    expect(lint(bytes, { sample: { A: '', banana: '4cm' } }).problems).toEqual([]);
    expect(lint(bytes, { sample: { A: '' } }).problems).toMatchObject([{ code: 'unknown_path' }]);
    for (const banana of ['wide', '4 miles', -1, {}, true])
      expect(() => compile(bytes).merge({ A: PNG, banana })).toThrow(
        expect.objectContaining({ code: 'bad_value', field: 'banana' }) as Error,
      );
    expect(() => compile(bytes).merge({ A: PNG }, { strict: true })).toThrow(
      expect.objectContaining({ code: 'missing_field', field: 'banana' }) as Error,
    );
    for (const banana of ['', null, undefined])
      expect(faults(compile(bytes).merge({ A: PNG, banana }))).toEqual([]);
  });

  it('has its SVG cleaned', () => {
    const A =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>@import "http://e.example/x.css"</style><image href="http://e.example/x"/><a onload="x"/></svg>';
    const { output } = drawn('{{image A}}', { A });
    expect(unzip(output).get('word/media/millrace1.svg')?.toString()).not.toMatch(
      /e\.example|onload/,
    );
  });
});

describe('a merged document as a template', () => {
  it('keeps its pictures and links apart from the new ones', () => {
    const A = PNG.toString('base64');
    const once = compile(docx(p('{{image A}}{{link U "x"}} \\{{image B}}\\{{link V "y"}}'))).merge({
      A,
      U: 'https://a.example',
    });
    const twice = compile(once).merge({ B: SVG.toString(), V: 'https://b.example' });
    expect(faults(twice)).toEqual([]);
    expect([...unzip(twice).keys()].filter((name) => name.includes('media'))).toEqual([
      'word/media/millrace1.png',
      'word/media/millrace_1.svg',
    ]);
    const rels = partXml(twice, 'word/_rels/document.xml.rels');
    const ids = [...rels.matchAll(/ Id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(rels).toMatch(/a\.example[^]*b\.example/);
  });

  it('in the strict form gets pictures in its own namespaces', () => {
    const strict = (xml: string) =>
      xml
        .replaceAll(
          'http://schemas.openxmlformats.org/officeDocument/2006',
          'http://purl.oclc.org/ooxml/officeDocument',
        )
        .replaceAll(
          /http:\/\/schemas\.openxmlformats\.org\/(wordprocessingml|drawingml)\/2006/g,
          'http://purl.oclc.org/ooxml/$1',
        );
    const files = [...unzip(docx(p('{{image A}}')))].map(([name, data]): [string, string] => [
      name,
      name.startsWith('[') ? data.toString() : strict(data.toString()),
    ]);
    const output = compile(zip(Object.fromEntries(files))).merge({ A: PNG.toString('base64') });
    expect(faults(output)).toEqual([]);
    expect(partXml(output)).not.toContain('schemas.openxmlformats.org/drawingml');
    expect(partXml(output, 'word/_rels/document.xml.rels')).not.toContain(
      'schemas.openxmlformats.org/officeDocument',
    );
  });
});

describe('qr', () => {
  it('draws a code, once for each value', () => {
    const output = mergedFile(p('{{#each L}}{{qr this size=2cm level=H}}{{/each}}'), {
      L: ['https://e.example/ä', 'b', 'https://e.example/ä', ''],
    });
    expect([...unzip(output).keys()].filter((name) => name.includes('media'))).toHaveLength(2);
    expect(partXml(output).match(/<wp:extent cx="720000" cy="720000"/g)).toHaveLength(3);
  });

  it.each([
    ['5mm', 2 * 29],
    ['2cm', 8 * 29],
    ['20cm', 8 * 29],
    ['1mm', 1 * 29],
  ])('has whole pixels for its 29 modules, and at %s no more than paper shows', (size, side) => {
    const files = unzip(mergedFile(p(`{{qr A size=${size}}}`), { A: 'b' }));
    expect(files.get('word/media/millrace1.png')?.readUInt32BE(16)).toBe(side); // the width in its header
  });

  it('has one of four levels', () => {
    expect(lint(docx(p('{{qr A level=high}}'))).problems).toMatchObject([
      { code: 'bad_tag', message: expect.stringContaining('none of L, M, Q, H') as string },
    ]);
  });

  it('refuses what is too long', () => {
    expect(() => line('{{qr A}}', { A: 'x'.repeat(5_000) })).toThrow(code('value_too_long'));
  });
});

describe('link', () => {
  const linked = (data: unknown, tag = '{{link Url "the shop"}}') => {
    const output = mergedFile(p(`see ${tag}!`), data);
    const rels = partXml(output, 'word/_rels/document.xml.rels');
    return {
      text: textLines(output)[0],
      target: /Target="([^"]*)" TargetMode/.exec(rels)?.[1],
      xml: partXml(output),
    };
  };

  it('leads to the web, to mail and to a telephone', () => {
    expect(linked({ Url: 'https://e.example/?a=1&b=2' })).toMatchObject({
      text: 'see the shop!',
      target: 'https://e.example/?a=1&amp;b=2',
    });
    expect(linked({ Url: 'a@e.example' }).target).toBe('mailto:a@e.example');
    expect(linked({ Url: 'www.e.example/x' }).target).toBe('https://www.e.example/x');
    expect(linked({ Url: 'tel:+491' }, '{{link Url}}')).toMatchObject({
      text: 'see tel:+491!',
      target: 'tel:+491',
    });
  });

  it.each([
    'javascript:alert(1)',
    'java\nscript:x',
    'file:///etc/passwd',
    '\\\\host\\share',
    'data:text/html,x',
    '',
    'just words',
  ])('is plain text for %j', (Url) => {
    expect(linked({ Url })).toMatchObject({ text: 'see the shop!', target: undefined });
  });

  it('does not stand inside another link', () => {
    const body = `<w:p><w:hyperlink w:anchor="x">${r('{{link Url "t"}}')}</w:hyperlink></w:p>`;
    expect(
      partXml(mergedFile(body, { Url: 'https://e.example' })).match(/<w:hyperlink/g),
    ).toHaveLength(1);
  });
});

describe('pageBreak', () => {
  it('breaks the page', () => {
    expect(line('a{{pageBreak}}b', {})).toBe('a[page]b');
    expect(
      line('{{#each L}}{{this}}{{#unless @last}}{{pageBreak}}{{/unless}}{{/each}}', { L: [1, 2] }),
    ).toBe('1[page]2');
  });
});
