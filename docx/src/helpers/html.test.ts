import { describe, expect, it } from 'vitest';
import { p, partXml } from '../../test/builder.ts';

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

  it('reads hostile input in one pass', () => {
    const data = {
      A: '<'.repeat(300_000),
      B: '<b>'.repeat(100_000),
      C: `<p style="${'color:'.repeat(20_000)}">x`,
      D: `${' '.repeat(200_000)}x`,
    };
    expect(textLines(mergedFile(p('{{html A}}'), data))[0]).toHaveLength(300_000);
    expect(textLines(mergedFile(p('{{html B}}{{html C}}{{html D}}'), data))).toEqual(['xx']);
  });
});
