import { describe, expect, it } from 'vitest';
import { p, r, table } from '../../../test/builder.ts';
import { refusal } from '../../../test/merge.ts';

describe('a block that is wrong', () => {
  it.each([
    [p('{{#if A}}x'), 'unbalanced_block', 1],
    [p('x{{/if}}'), 'unbalanced_block', 1],
    [p('{{#each L}}') + p('{{#if A}}') + p('{{/each}}') + p('{{/if}}'), 'unbalanced_block', 2],
    [p('{{else}}'), 'misplaced_else', 1],
    [p('{{#if A}}{{else}}{{else}}{{/if}}'), 'misplaced_else', 1],
    [p('{{#each A}}{{else if B}}{{/each}}'), 'misplaced_else', 1],
    [p('{{#if A}}') + table([['x{{/if}}']]), 'crossing_block', 1],
    [p('x') + table([['{{#each L}}x']]) + p('{{/each}}'), 'crossing_block', 2],
    [p('text {{#if A}} more') + p('end{{/if}}'), 'crossing_block', 1],
    [p('{{#if A}}a') + p('b{{/if}} c'), 'crossing_block', 2],
    [
      table([
        ['{{#if A}}', 'x'],
        ['{{/if}}{{#each L}}{{A}}', 'y{{/each}}'],
      ]),
      'crossing_block',
      3,
    ],
    [table([[p('{{#if A}}') + p('x'), 'y']]) + table([['{{/if}}']]), 'crossing_block', 1],
    [p('{{#each L by=row}}x{{/each}}'), 'crossing_block', 1],
    [
      `<w:p>${r('{{#if A}}')}<w:hyperlink w:anchor="x">${r('a{{/if}}')}</w:hyperlink>${r('z')}</w:p>`,
      'crossing_block',
      1,
    ],
    [p('{{#each L}}'.repeat(31)) + p('{{/each}}'.repeat(31)), 'too_deep', 1],
  ])('%#: is refused with its place', (body, code, paragraph) => {
    expect(refusal(body)).toMatchObject({ code, paragraph, part: 'word/document.xml' });
  });

  it('is refused across a text box', () => {
    const box = `<w:p>${r('{{#if A}}')}<w:r><w:pict><v:shape id="s"><v:textbox><w:txbxContent>${p('x{{/if}}')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`;
    expect(refusal(box).code).toBe('crossing_block');
  });
});
