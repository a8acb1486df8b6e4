import { describe, expect, it } from 'vitest';
import { p, partXml, table } from '../../test/builder.ts';
import { PNG } from '../../test/pictures.ts';

import { mergedFile } from '../../test/merge.ts';
import { textLines } from '../../test/read.ts';

describe('html', () => {
  it('alone in its paragraph becomes paragraphs', () => {
    const html =
      '<p>One <b>bold</b> <i>it</i></p><ul><li>a<ul><li>deep</li></ul></li><li>b</li></ul><ol><li>x</li><li>y</li></ol><h2>Head</h2>last<br>line &amp; &euro;';
    const output = mergedFile(p('{{html A}}'), { A: html });
    expect(textLines(output)).toEqual([
      'One bold it',
      '•\ta',
      '•\tdeep',
      '•\tb',
      '1.\tx',
      '2.\ty',
      'Head',
      'last\nline & €',
    ]);
    expect(partXml(output)).toContain('<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">bold');
    expect(partXml(output)).toContain('<w:ind w:left="1134" w:hanging="283"/>');
  });

  it('keeps the looks of what is closed in the wrong order', () => {
    const xml = partXml(mergedFile(p('{{html A}}'), { A: '<b>x<i>y</b>z</i>' }));
    expect(xml).toContain('<w:rPr><w:i/></w:rPr><w:t xml:space="preserve">z');
  });

  it('within a text stays in its paragraph', () => {
    expect(textLines(mergedFile(p('Note: {{html A}}.'), { A: '<p>a</p><p>b</p>' }))).toEqual([
      'Note: a\nb.',
    ]);
  });

  it('lets nothing through but words and looks', () => {
    const html =
      '<script>alert(1)</script><style>x{}</style><iframe src="x">y</iframe><img src=x onerror=y><a href="javascript:x">bad</a> <a href="https://e.example">good</a><w:p>raw</w:p> <unknown>kept</unknown> a < b <b>open &lt;w:r&gt;';
    const output = mergedFile(p('{{html A}}'), { A: html });
    expect(textLines(output)).toEqual(['bad goodraw kept a < b open <w:r>']);
    expect(partXml(output)).not.toMatch(/alert|javascript|onerror/);
    expect(partXml(output, 'word/_rels/document.xml.rels')).toContain('https://e.example');
  });

  it('leaves a paragraph when it is empty, and takes its looks from CSS', () => {
    expect(textLines(mergedFile(p('{{html A}}'), {}))).toEqual(['']);
    const xml = partXml(
      mergedFile(p('{{html A}}'), {
        A: '<span style="color: rgb(255, 0, 16); font-weight:700; text-decoration: underline">x</span>',
      }),
    );
    expect(xml).toContain('<w:b/><w:u w:val="single"/><w:color w:val="FF0010"/>');
  });

  it.each([
    ['<![if !supportLists]>1)<![endif]> first', ['1) first']],
    ['<!--[if gte mso 9]><xml><w:x>no</w:x></xml><![endif]-->yes<o:p></o:p>', ['yes']],
    ['<?xml:namespace prefix = o ?><!DOCTYPE html>yes', ['yes']],
    ['<ul><li><p>a</p><p>more</p></li><li><div>b</div></li></ul>', ['•\ta', 'more', '•\tb']],
    ['<ol type="A" start=26><li>a<li>b</ol>', ['Z.\ta', 'AA.\tb']],
    ['<ol style="list-style-type: lower-roman" start=4><li>a</ol>', ['iv.\ta']],
    ['<ol type="i" start=0><li>a</ol>', ['0.\ta']],
    ['<p>a</p><pre>\nb\n  c\td</pre>', ['a', 'b\n  c\td']],
    ['<p title="a > b">x</p>', ['x']],
    ["<a href='https://e.example/?a>b' title=\"it's\">x</a> y", ['x y']],
    ['<ol start=5><li>a<li>b</ol><ol><li>c</ol>', ['5.\ta', '6.\tb', '1.\tc']],
    ['<ol start="-1"><li>a</li><li value=7>b</li><li>c</li></ol>', ['-1.\ta', '7.\tb', '8.\tc']],
    ['<ol reversed><li>a<li>b<ol><li>x</ol><li>c</ol>', ['3.\ta', '2.\tb', '1.\tx', '1.\tc']],
    ['<ol reversed start=9 type=i><li>a<li>b</ol>', ['ix.\ta', 'viii.\tb']],
    ['<ol reversed><li>a<li value=7>b<li>c</ol>', ['3.\ta', '7.\tb', '6.\tc']],
    ['<ol reversed start=many><li>a<li>b</ol>', ['2.\ta', '1.\tb']],
    ['<ol start=many><li>a</li></ol>', ['1.\ta']],
    [
      '&frac34; &Uuml;ber &#x1F600; &hearts; &copy 5 &lt;b&gt; &unknown;',
      ['¾ Über 😀 ♥ © 5 <b> &unknown;'],
    ],
    ['a<b and b>a', ['aa']],
    ['if a <b then', ['if a <b then']],
    ['<script>if (a < b) "</p>"</script><title>t</title>x<svg><svg></svg>no</svg>y', ['xy']],
    ['one <b> two</b>', ['one two']],
    ['<p style="color:red">x<p>y', ['x', 'y']],
  ])('reads %s as a browser does', (html, lines) => {
    expect(textLines(mergedFile(p('{{html A}}'), { A: html }))).toEqual(lines);
  });

  it('draws a table with its merged cells, in the text and in a cell', () => {
    const html =
      '<p>before</p><table><caption>Prices</caption><thead><tr><th>Item<th>Price</thead>' +
      '<tr><td rowspan=2>Oak<td><b>5</b></tr><tr><td>6</td></tr>' +
      '<tr><td colspan="2">a<p>b</p><table><tr><td>in</td><td>side</td></tr></table></td></tr><tr></tr></table>after';
    const lines = ['Item | Price', 'Oak | 5', ' | 6', 'a/b/in\tside'];
    const output = mergedFile(p('{{html A}}'), { A: html });
    expect(textLines(output)).toEqual(['before', 'Prices', ...lines, 'after']);
    const xml = partXml(output);
    expect(xml).toContain('<w:vMerge w:val="restart"/>');
    expect(xml).toContain('<w:vMerge w:val="continue"/>');
    expect(xml).toContain('<w:gridSpan w:val="2"/>');
    expect(xml).toContain('<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">Item');
    const two = '<table><tr><td>x</table><table><tr><td>y</table>';
    const inCell = mergedFile(table([['{{html A}}', 'z']]), { A: two });
    expect(partXml(inCell).match(/<w:tbl>/g)).toHaveLength(3);
    expect(partXml(inCell)).not.toContain('</w:tbl><w:tbl>');
  });

  it('keeps a table as text where none can stand', () => {
    const A = '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>';
    expect(textLines(mergedFile(p('Note: {{html A}}.'), { A }))).toEqual(['Note: a\tb\nc.']);
    const wide = `<table><tr>${'<td>x</td>'.repeat(64)}</tr></table>`;
    expect(textLines(mergedFile(p('{{html A}}'), { A: wide }))).toEqual([
      Array.from({ length: 64 }, () => 'x').join('\t'),
    ]);
  });

  it('draws the pictures that it holds, and describes those that it only refers to', () => {
    const source = `data:image/png;base64,${PNG.toString('base64')}`;
    const A = `see <img src="${source}" width=40 alt="a > b"> and <img alt="the mill" src="https://e.example/x.png"><img src=cid:1>!`;
    const output = mergedFile(p('{{html A}}'), { A });
    expect(textLines(output)).toEqual(['see [picture] and the mill!']);
    expect(partXml(output)).toContain('descr="a &gt; b"');
    expect(partXml(output)).toContain(`<wp:extent cx="${40 * 9525}" cy="${20 * 9525}"/>`);
    expect(partXml(output, '[Content_Types].xml')).toContain('Extension="png"');
    expect(() => mergedFile(p('{{html A}}'), { A }, { strict: true })).toThrow(
      'a picture by its address (https://e.example/x.png), which is not fetched',
    );
    const broken = `<img src="${source.slice(0, -20)}">`;
    expect(() => mergedFile(p('{{html A}}'), { A: broken })).toThrow(
      expect.objectContaining({ code: 'bad_image', paragraph: 1 }) as Error,
    );
  });

  it('draws an SVG that stands in it, written as HTML or as XML', () => {
    const A =
      'see <svg viewbox="0 0 40 20" width=40 onload=x class=a fill="red"><title>The mill & its wheel</title>' +
      '<lineargradient id=g><stop offset=1></lineargradient><g><path d="M0 0h40v20z" fill=url(#g)></path><use xlink:href="#g"/>' +
      '<style><![CDATA[ .a > b {} ]]></style><script>alert("x")</script></svg>!';
    const output = mergedFile(p('{{html A}}'), { A });
    expect(textLines(output)).toEqual(['see [picture]!']);
    expect(partXml(output)).toContain('descr="The mill &amp; its wheel"');
    expect(partXml(output)).toContain(`<wp:extent cx="${40 * 9525}" cy="${20 * 9525}"/>`);
    const name = /media\/[\w.-]+\.svg/.exec(partXml(output, 'word/_rels/document.xml.rels'))?.[0];
    const svg = partXml(output, `word/${name}`);
    expect(svg).toContain('<linearGradient id="g"><stop offset="1"></stop></linearGradient>');
    expect(svg).toContain('<path d="M0 0h40v20z" fill="url(#g)"></path>');
    expect(svg).toContain('.a &gt; b {}');
    expect(svg).toMatch(/<\/g><\/svg>$/);
    expect(svg).not.toMatch(/onload|alert/);
  });

  it('ends an SVG that nobody closed where a paragraph begins', () => {
    const A = '<svg viewBox="0 0 4 2"><rect width=4 height=2><p>first</p><p>second';
    const output = mergedFile(p('{{html A}}'), { A });
    expect(textLines(output)).toEqual(['[picture]', 'first', 'second']);
  });

  it.each([
    'a<svg/>b',
    'a<svg width="0"><rect/></svg>b',
    'a<svg style="display: none"><symbol><rect/></symbol></svg>b',
    'a<svg><defs></defs></svg>b',
  ])('shows nothing of %s, as a browser does', (A) => {
    expect(textLines(mergedFile(p('{{html A}}'), { A }))).toEqual(['ab']);
  });

  it('reads hostile input in one pass', () => {
    const data = {
      A: '<'.repeat(300_000),
      B: '<b>'.repeat(100_000),
      C: `<p style="${'color:'.repeat(20_000)}">x`,
      D: `${' '.repeat(200_000)}x`,
      E: `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}>x`,
      F: '<table><tr><td>'.repeat(30_000),
      H: `<svg>${'<g>'.repeat(100_000)}<rect/>${'</a>'.repeat(100_000)}`,
      G: `${'<b>'.repeat(100_000)}${'</i>'.repeat(100_000)}x`,
    };
    expect(textLines(mergedFile(p('{{html E}}'), data))).toEqual(['x']);
    expect(textLines(mergedFile(p('{{html G}}'), data))).toEqual(['x']);
    expect(textLines(mergedFile(p('{{html F}}'), data))).toEqual(['', '']);
    expect(() => mergedFile(p('{{html H}}'), data)).toThrow(/nest|deep/);
    expect(textLines(mergedFile(p('{{html A}}'), data))[0]).toHaveLength(300_000);
    expect(textLines(mergedFile(p('{{html B}}{{html C}}{{html D}}'), data))).toEqual(['xx']);
  });
});
