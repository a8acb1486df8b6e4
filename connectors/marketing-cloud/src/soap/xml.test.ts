import { describe, expect, test } from 'vitest';
import { connect, errorOf, openCloud, soap } from '../../test/cloud.ts';
import { childOf, childrenOf, parseXml, textOf } from './parse.ts';
import { element, elements, writeXml } from './write.ts';

const TEXTS = [
  ']]></QueryText><QueryText>',
  '<![CDATA[ & ]]> &amp; &#0; <!-- --> <?x?>',
  `'"<>&`,
  'a\r\nb\rc\n\td ',
  '  leading and trailing  ',
  'Grüße, 東京, 😀, \u0085\u2028\u00a0',
  '5e10',
  '007',
  '0x1F',
  'true',
  '-0',
  '',
];

describe('what is written', () => {
  test.each(TEXTS)('is read again as it was: %j', (text) => {
    const xml = writeXml(element('a', [element('b', text), element('c', 'next')]));
    expect(textOf(parseXml(xml) ?? '', 'a', 'b') ?? '').toBe(text);
    expect(textOf(parseXml(xml) ?? '', 'a', 'c')).toBe('next');
    expect(xml).not.toContain(']]>');
  });

  test('holds attributes that cannot be left either', () => {
    expect(writeXml(element('a', '', { b: '"><x y="' }))).toBe(
      '<a b="&quot;&gt;&lt;x y=&quot;"></a>',
    );
  });

  test('leaves out what is not there', () => {
    expect(elements({ a: null, b: undefined, c: 0, d: false }).map(writeXml)).toEqual([
      '<c>0</c>',
      '<d>false</d>',
    ]);
  });

  test.each([
    ['\u0000', 'a control character (U+0000)'],
    ['\u0008', 'a control character (U+0008)'],
    ['\u001b', 'a control character (U+001B)'],
    ['\uffff', 'a control character (U+FFFF)'],
    ['\ud83d', 'half of a character (U+D83D)'],
    ['\ude00 x', 'half of a character (U+DE00)'],
  ])('%j is refused with its place, before anything is sent', async (char, what) => {
    const { unit, cloud } = connect({ url: 'http://127.0.0.1:1' });
    const sql = `SELECT 😀\n  '${char}' AS a`;
    const query = { name: 'q', customerKey: 'q', sql, target: { name: 't', customerKey: 't' } };
    for (const refused of [unit.createQuery(query), unit.validate(sql)]) {
      const error = await errorOf(refused);
      expect(error).toMatchObject({ code: 'invalid_text', kind: 'data', outcome: 'notSent' });
      expect(error.message).toContain(`${what} in line 2`);
    }
    expect(cloud.stats()).toMatchObject({ calls: 0, tokens: 0 });
  });

  test('keeps an SQL text whole on its way', async () => {
    const cloud = await openCloud();
    cloud.otherwise(soap('CreateResponse', '<Results><StatusCode>OK</StatusCode></Results>'));
    const { unit } = connect(cloud);
    const sql = TEXTS.join('\n');
    await errorOf(
      unit.createQuery({
        name: 'q',
        customerKey: 'q',
        sql,
        target: { name: 't', customerKey: 't' },
      }),
    );
    const read = parseXml(cloud.seen[0]?.body ?? '');
    const path = ['Envelope', 'Body', 'CreateRequest', 'Objects', 'QueryText'];
    expect(textOf(read ?? '', ...path)).toBe(sql);
  });
});

describe('what is read', () => {
  test('has lists of one and of many, and no prefixes', () => {
    const xml = parseXml('<s:a xmlns:s="u"><s:b>1</s:b><c><d/></c><c><d>2</d><d>3</d></c></s:a>');
    const a = childOf(xml ?? '', 'a');
    expect(childrenOf(a, 'b')).toEqual(['1']);
    expect(childrenOf(a, 'c').map((c) => childrenOf(c, 'd'))).toEqual([[''], ['2', '3']]);
    expect([childrenOf(a, 'x'), childOf(a, 'b', 'x'), textOf(a, 'c', 'd')]).toEqual([
      [],
      undefined,
      null,
    ]);
    expect(childrenOf(a, 'toString')).toEqual([]);
  });

  test('has as many references as it likes', () => {
    const xml = parseXml(`<a>${'<b>&amp;&#x41;&#13;</b>'.repeat(20_000)}</a>`);
    const all = childrenOf(childOf(xml ?? '', 'a'), 'b');
    expect([all.length, all.at(-1)]).toEqual([20_000, '&A\r']);
  });

  const bomb = `<!DOCTYPE a [<!ENTITY x0 "ha">${Array.from(
    { length: 20 },
    (_, n) => `<!ENTITY x${n + 1} "&x${n};&x${n};&x${n};&x${n};">`,
  ).join('')}]><a>&x20;</a>`;

  test.each([
    ['nothing', ''],
    ['no XML', 'Service Unavailable'],
    ['a page', '<html><br>Down</html>'],
    ['half of it', '<a><b>1</b>'],
    ['two of them', '<a>1</a><a>2</a>'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['one in lower case', '<!doctype a><a/>'],
    ['one behind a comment', '<!-- c --><!DOCTYPE a [<!ENTITY x "1">]><a>&x;</a>'],
    ['a bomb', bomb],
    ['a file of ours', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['great depth', `${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}`],
    ['depth without an end', '<a>'.repeat(200_000)],
    ['great length', `<a>${' '.repeat(16 * 1024 * 1024)}</a>`],
    ['a prototype', '<a><__proto__><b>1</b></__proto__></a>'],
  ])('is refused: %s', (_what, text) => {
    expect(parseXml(text)).toBeNull();
  });

  test('may be called as what every object has', () => {
    expect(textOf(parseXml('<a><b>1</b></a>') ?? '', 'a', 'constructor')).toBeNull();
  });
});
