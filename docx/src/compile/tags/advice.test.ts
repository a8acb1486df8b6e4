import { describe, expect, it } from 'vitest';
import { docx, p } from '../../../test/builder.ts';
import { refusal } from '../../../test/merge.ts';
import { lint } from '../../lint.ts';

/** A tag that cannot be read is answered with what to write instead of it. */
describe('the message on a tag of another habit', () => {
  it.each([
    ['{{^items}}', '{{#unless items}} … {{/unless}}, or {{else}} inside {{#each items}}'],
    ['{{^Order Lines}}', '{{#unless [Order Lines]}}'],
    [
      '{{#with x}}',
      'There is no {{#with}}. Leave it out and write the whole path, as in {{x.Name}}',
    ],
    ['{{/with}}', 'Leave {{/with}} out'],
    ['{{#items}}', '{{#each items}} … {{/each}} to repeat it, or {{#if items}} … {{/if}}'],
    ['{{/items}}', 'Write {{/each}}, {{/if}} or {{/unless}}'],
    ['{{#each L sort="x"}}', '{{#each L}} has no option "sort"'],
    ['{{#each x as |y|}}', 'Write {{#each x}}: inside, {{Name}} is a field of the item'],
    ['{{#each item in items}}', 'Write {{#each items}}:'],
    ['{{FOR p IN people}}', 'Write {{#each people}}:'],
    ['{{#Each Lines}}', 'small letters: {{#each Lines}}'],
    ['{{ if x }}', 'Write {{#if x}} … {{/if}}'],
    ['{{#if a == b}}', 'Write {{#if eq a b}}'],
    ['{{#if a = “b”}}', 'Write {{#if eq a "b"}}'],
    ['{{#if a >= 3 && !b}}', 'Write {{#if and (gte a 3) (not b)}}'],
    ['{{#unless !a}}', 'Write {{#unless not a}}'],
    ['{{a != b}}', 'A comparison belongs into a condition: {{#if ne a b}}'],
    ['{{else if}}', 'It needs a condition: {{else if eq Status "open"}}'],
    ['{{elseif a > 1}}', 'Write {{else if gt a 1}}'],
    ['{{Else}}', 'Write {{else}}, in small letters'],
    ['{{endif}}', 'Write {{/if}}'],
    ['{{END-FOR x}}', 'Write {{/each}}'],
    ['{{x.upper()}}', 'A helper stands before its field: {{upper x}}'],
    ['{{x.toUpperCase()}}', '{{upper x}}'],
    ['{{x | upper}}', '{{upper x}}'],
    ['{{x|default("y")}}', '{{default x "y"}}'],
    ['{{x | shout}}', 'There is no "shout"'],
    ['{{x || "y"}}', 'Write {{default x "y"}}'],
    ['{{x ? "a" : "b"}}', 'Write {{#if x}} … {{else}} … {{/if}}'],
    ['{{{x}}}', 'Write two braces: {{x}}'],
    ['{{a + b}}', 'There is no arithmetic'],
    ['{{a*2}}', 'There is no arithmetic'],
    ['{{x[i].y}}', 'Write {{#each x}} … {{/each}} around what is repeated'],
    ['{{ }}', 'Write a field between the braces, as in {{Name}}'],
    ['{{“quoted”}}', '{{[quoted]}} for the field of that name'],
    ['{{2024}}', '{{[2024]}} for the field of that name'],
    ['{{First Name}}', 'square brackets: [First Name].'],
    ['{{Customer.First Name}}', 'square brackets: Customer.[First Name].'],
    ['{{#each Order Lines}}', 'square brackets: [Order Lines].'],
    ['{{upper First Name}}', '[First Name]. Or write it as {{upper Name}}.'],
    ['{{uper Name}}', 'did you mean the helper "upper"?'],
    ['{{Price (EUR)}}', '[Price (EUR)].'],
    ['{{Nr.}}', '[Nr.].'],
    ['{{x["First Name"]}}', 'Write {{x.[First Name]}}'],
    ['{{["First Name"]}}', 'A name in brackets has no quotes'],
    ['{{[First Name}}', 'A "[" is not closed'],
    ['{{?list}}', 'This is poi-tl'],
    ['{{@photo}}', 'A picture is {{image photo}}'],
    ['{{INS x}}', 'This is docx-templates. Write {{x}}'],
    ['{{TableStart:Lines}}', 'This is Conga. Write {{#each Lines}} … {{/each}}'],
    ['{{Due \\@ MM/dd/yyyy}}', 'Write {{date Due "MM/dd/yyyy"}}'],
    ['{{#IF_Vip}}', 'This is OmniStudio. Write {{#if Vip}} … {{/if}}'],
    ['{{r text}}', 'This is docxtpl. Write {{text}}'],
  ])('%s says "%s"', (tag, advice) => {
    expect(refusal(p(tag)).message).toContain(advice);
  });

  it('does not call the closer of a wrong opener a mistake', () => {
    for (const tag of ['{{#if a == b}}x{{/if}}', '{{#each L sort="n"}}{{Name}}{{/each}}'])
      expect(lint(docx(p(tag))).problems).toHaveLength(1);
    expect(lint(docx(p('{{#each L sort="n"}}{{Name}}{{/each}}'))).fields).toMatchObject([
      { path: 'L' },
      { path: 'L[].Name' },
    ]);
  });

  it('of a megabyte is answered at once', () => {
    expect(refusal(p(`{{${'a.'.repeat(500_000)}(}}`)).code).toBe('bad_tag');
  });
});
