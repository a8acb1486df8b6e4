import { describe, expect, it } from 'vitest';
import { docx, p, table } from '../test/builder.ts';
import { lint } from './index.ts';

const warnings = (...paragraphs: readonly string[]) =>
  lint(docx(paragraphs.map((text) => p(text)).join('')))
    .problems.filter(({ code }) => code === 'foreign_tag')
    .map(({ message }) => message);

describe('a template of another language', () => {
  it.each([
    [
      'docxtemplater',
      '{#offre}',
      'Write {{#each offre}} … {{/each}}, or {{#if offre}}',
      '{/offre}',
    ],
    ['docxtemplater', '{#items.length > 3}', 'Write {{#if gt items.length 3}} … {{/if}}.', '{/}'],
    ['docxtemplater', '{#items.length}', 'Write {{#if items}} … {{/if}}', '{/}'],
    ['docxtemplater', '{#items | sort}', 'There is no equivalent of "items | sort"', '{/}'],
    ['docxtemplater', '{^offre}', 'Write {{#unless offre}} … {{/unless}}.', '{/}'],
    ['docxtemplater', '{first_name}', 'Write {{first_name}}.', 'Dear {last_name},'],
    ['docxtemplater', '{-w:tr rows}', 'Write {{#each rows by=row}} … {{/each}}.'],
    ['docxtemplater', '{@rich}', 'Write {{html rich}}.', '{%logo}'],
    ['docxtemplater', '{a.b.c}', 'Write {{a.b.c}}.'],
    ['docxtemplater', '{first name}', 'goes into square brackets: [first name]'],
    ['docxtemplater', '{full_name}', 'Write {{full_name}}.'],
    ['docxtemplater', '{title}', 'Write {{title}}.'],
    ['docxtemplater', '{#my loop}', 'Write {{#each [my loop]}} … {{/each}}'],
    ['docxtemplater', '{#rows [loopOver: “row”]}', 'Write {{#each rows by=row}} … {{/each}}.'],
    ['docx-templates', '+++x+++', 'Write {{x}}.'],
    ['docx-templates', '+++ins x+++', 'Write {{x}}.'],
    ['docx-templates', '+++INS a + b+++', 'There is no arithmetic.'],
    ['docx-templates', '+++= lines.length+++', 'Write {{count lines}}.'],
    ['docx-templates', '+++INS f(1)+++', 'There is no equivalent of "f(1)"'],
    ['docx-templates', '+++FOR a IN [1,2]+++', 'There is no equivalent of "[1,2]"'],
    [
      'docx-templates',
      '+++FOR a IN Object.keys(b)+++',
      'There is no equivalent of "Object.keys(b)"',
    ],
    ['docx-templates', "+++IMAGE qr('https://a.b')+++", 'Write {{qr "https://a.b" size=3cm}}.'],
    ['docx-templates', '+++LINK ({ url: $a.url, label: $a.name })+++', 'Write {{link url name}}.'],
    ['docx-templates', '+++ALIAS n INS $a.name+++', 'where *n stands: Write {{name}}.'],
    ['docx-templates', '+++*n+++', 'Write here what "ALIAS n" says'],
    ['docx-templates', '+++formatNumber(1)+++', 'There is no equivalent', '+++INS x+++'],
    ['docx-templates', '+++FOR line IN lines+++', 'Write {{#each lines}}:'],
    ['docx-templates', '+++END-FOR line+++', 'Write {{/each}}.'],
    ['docx-templates', '+++INS $line.name+++', 'Write {{name}}.'],
    ['docx-templates', '+++= total+++', 'Write {{total}}.'],
    ['docx-templates', '+++INS $row+++', 'Write {{this}}.'],
    ['docx-templates', '+++= $idx+++', 'Write {{@index}}.'],
    ['docx-templates', '+++IF $row.active+++', 'Write {{#if active}} … {{/if}}.'],
    ['docx-templates', '+++FOR line IN $order.lines+++', 'Write {{#each lines}}:'],
    ['docx-templates', '{INS total}', 'Write {{total}}.'],
    ['docx-templates', '+++EXEC a = 1+++', 'Leave it out: a template runs no code'],
    ['Jinja', '{%tr for a in alerts %}', 'Write {{#each alerts}}:'],
    ['Jinja', '{%tc for a in b %}', 'Add by=column'],
    ['Jinja', '{% for k, v in f(x) %}', 'There is no equivalent of "f(x)"'],
    ['Jinja', '{% if a is mapping %}', 'There is no equivalent of "a is mapping"'],
    ['Jinja', '{% if a is not none %}', 'Write {{#if a}} … {{/if}}.'],
    ['Jinja', '{% if True %}', 'Write {{#if true}} … {{/if}}.'],
    ['Jinja', '{% if a == 1 %}', 'Write {{#if eq a 1}} … {{/if}}.'],
    ['Jinja', '{%- endif -%}', 'Write {{/if}}.'],
    ['Jinja', '{# a note #}', 'Write {{! … }} for a comment.'],
    ['Carbone', '{d.name}', 'Write {{name}}.'],
    ['Carbone', '{d.total:formatN(2)}', 'Write {{number total decimals=2}}.'],
    ['Carbone', '{d.due:formatD(DD.MM.YYYY)}', 'Write {{date due "dd.MM.yyyy"}}.'],
    ['Carbone', "{d.name:ifEmpty('nobody')}", 'Write {{default name "nobody"}}.'],
    ['Carbone', '{d.name:upperCase}', 'Write {{upper name}}.'],
    [
      'Carbone',
      "{d.vat:ifEQ(0):show('free'):elseShow('taxed')}",
      'Write {{#if eq vat 0}}free{{else}}taxed{{/if}}.',
    ],
    [
      'Carbone',
      '{d.vip:ifEM:hideBegin}',
      'Write {{#if vip}} here, and {{/if}} where hideEnd stands.',
    ],
    ['Carbone', '{d.a:ifEQ(.b):show(.c)}', 'Write {{#if eq a b}}{{c}}{{/if}}.'],
    ['Carbone', '{d.a:ifEM:drop(p)}', 'Write {{#if a}} at the beginning of the paragraph'],
    ['Carbone', '{d.due:formatD(L)}', 'Write {{date due "short"}}.'],
    ['Carbone', '{d.list[0].name}', 'Write {{list.0.name}}.'],
    ['Carbone', '{d.list[].amount:aggSum}', 'Write {{sum list "amount"}}.'],
    ['Carbone', "{d.list[type='a'].name}", 'There is no equivalent of'],
    ['Carbone', '{d[i].name}', 'give the list a name in it'],
    ['Carbone', '{d.total:mul(2)}', 'There is no equivalent of ":mul(2)"'],
    ['Carbone', '{d.rows[i].name:lowerCase}', 'Write {{lower name}}.'],
    [
      'Carbone',
      '{d.todos[i].title}',
      'Write {{#each todos}} before what is repeated, {{title}} here',
    ],
    ['Carbone', '{d.a[i].b[i].c}', 'Write {{#each b}} before what is repeated, {{c}} here'],
    ['Carbone', '{d.todos[i+1].title}', 'Leave it out with its row'],
    ['Conga', '«TableStart:Lines»', 'Write {{#each Lines}} … {{/each}}.'],
    ['OmniStudio', '{{IMG_Logo}}', 'Write {{image Logo width=4cm}}.'],
    ['OmniStudio', '{{RTB_Terms}}', 'Write {{html Terms}}.'],
    ['S-Docs', '{{!Opportunity.Name}}', 'prints nothing. Write {{Opportunity.Name}}.'],
    ['S-Docs', '{{!Opportunity.CloseDate M/dd/yyyy}}', 'Write {{Opportunity.CloseDate}}.'],
    ['a merge field of Salesforce', '{!Account.Name}', 'Write {{Account.Name}}.'],
    [
      'Velocity or FreeMarker',
      '#foreach($d in $project.developers)',
      'Write {{#each project.developers}}',
    ],
    ['Velocity or FreeMarker', '#if($total > 5)', 'Write {{#if gt total 5}}'],
    ['Velocity or FreeMarker', '[#list lines as line]', 'Write {{#each lines}}'],
    ['Velocity or FreeMarker', '«$project.Name»', 'Write {{project.Name}}.'],
    ['Velocity or FreeMarker', '${colour}', 'Write {{colour}}.', 'It is ${size}.'],
    ['a language with <<x>>', '<<[order.total]>>', 'Write {{order.total}}.'],
    ['a language with <<x>>', '<<foreach [in lines]>>', 'Write {{#each lines}}'],
    ['a language with <<x>>', '<<first_name>>', 'Write {{first_name}}.', '<<last_name>>'],
  ])('%s is told by %s', (name, tag, advice, ...others) => {
    const [first] = warnings(`Text ${tag} text`, ...others).filter((message) =>
      message.startsWith(tag),
    );
    expect(first).toContain(`${tag}: this is ${name}. `);
    expect(first).toContain(advice);
  });

  it('has fields of the loops around it, and not of the innermost one alone', () => {
    const told = warnings(
      '+++FOR a IN as+++ +++INS $a.x+++ +++FOR b IN $a.bs+++ +++INS $a.y+++ +++= $a+++ +++INS $b.z+++',
      '+++END-FOR b+++ +++INS $a.w+++ +++END-FOR a+++',
      '{% for c in cs %} {{ c.v }} {% for d in c.ds %} {{ c.u }} {{ d }} {{ loop.index }} {{ e.t }}',
    ).join(' ');
    for (const tag of ['x', '../y', '..', 'z', 'w', 'v', '../u', 'this', '@number'])
      expect(told).toContain(`Write {{${tag}}}`);
    expect(told).toContain('Write {{#each bs}}:');
    expect(told).not.toContain('e.t');
  });

  it('is a warning with its place, in tables and over runs too', () => {
    const body = p('x') + table([['{#of', 'x']]) + p('{#of', 'fre}') + p('{/offre}');
    const report = lint(docx(body));
    expect(report.ok).toBe(true);
    expect(report.problems).toMatchObject([
      { severity: 'warning', code: 'foreign_tag', part: 'word/document.xml', paragraph: 4 },
      { paragraph: 5, snippet: '{/offre}' },
    ]);
  });

  it('has each of its tags named once, and not all of hundreds', () => {
    const tags = Array.from({ length: 300 }, (_, n) => `{field_${n % 100}}`);
    const named = warnings(...tags);
    expect(named).toHaveLength(20);
    expect(named.at(-1)).toContain('There are 80 more of its tags.');
  });

  it('is found in a paragraph of a megabyte in no more time than its size asks for', () => {
    expect(warnings('{field_a}{field_b} { +++ << [# «$ {! '.repeat(30_000))).toHaveLength(2);
  });
});

describe('text that is no template', () => {
  it.each([
    ['Let S = {d}, T = {x, y} and U = {abc}.'],
    ['The set {red, green} and the word {ANYONE}.'],
    ['{ "id": "{id}", "name": "{name}" }', '{"first": {second}, "third": {fourth}}'],
    ['const text = `${first} and ${second}`;', 'echo "${HOME}/bin" ${USER};', 'for (;;) {'],
    ['GET /users/{user_id}/orders/{order_id}', 'https://host/{tenant}?q={query}'],
    ['\\begin{document} \\frac{alpha}{beta}', 'title = {Some Title}, author = {Some Author}'],
    ['Page break here>><<followed by text and >><<breaks>><<in one run.'],
    ['std::cout << first << second; vector<vector<int>> all;'],
    ['<<include>> and <<extend>> in a use case, and <<interface>>'],
    ['+++ Eilmeldung +++ Sport +++ Wetter +++', 'C+++'],
    ['«Bonjour», dit-il. 5 << 10, 3 >> 2. a < b > c'],
    ['It costs $5.00 or $a.50, see #end and #if this.'],
    ['p { color: red } a:hover { color: blue }'],
  ])('%s', (...paragraphs) => {
    expect(warnings(...paragraphs)).toEqual([]);
  });

  it('is every tag of our own', () => {
    const body = [
      '{{Name}} {{#each Lines}}{{Amount}}{{else}}-{{/each}} {{!-- a.b --}} {{! see Order.Name }} {{!todo}} {{!Order.Name is not filled yet}}',
      '{{default Name "<<nobody>>"}} {{#if eq A "${b}"}}x{{/if}} {{image IMG_Logo}} \\{{literal}}',
    ];
    expect(warnings(...body)).toEqual([]);
  });
});
