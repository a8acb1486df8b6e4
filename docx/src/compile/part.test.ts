import { expect, it } from 'vitest';
import { docx, p, partXml, r, table } from '../../test/builder.ts';
import { throwing } from '../errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { tokenize } from '../xml/tokenizer.ts';
import { matchBlocks } from './layout/blocks.ts';
import { clean } from './clean/clean.ts';
import { emit } from './ops/emit.ts';
import { layOutBlocks } from './layout/levels.ts';
import { createNumbering } from './numbering.ts';
import { readStyles } from './styles.ts';
import { findTags } from './tags/tags.ts';

/** Writing to what is frozen throws. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const inner: unknown[] =
    value instanceof Map ? [...value.entries()].flat() : Object.values(value);
  for (const each of value instanceof Set ? [...value] : inner) frozen(each);
  return value;
}

it('changes nothing of what a step was given', () => {
  const body =
    `<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:ins w:id="2">${r('{{Na')}</w:ins></w:p>` +
    p('me}} ', '{{#if A}}x{{/if}}') +
    `<w:p><w:fldSimple w:instr="MERGEFIELD B">${r('b')}</w:fldSimple></w:p>` +
    table([['{{#each L}}{{this}}', 'y{{/each}}']]) +
    `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${p('{{#if A}}')}${p('z')}${p('{{/if}}')}</w:sdtContent></w:sdt>`;
  const parsed = frozen(tokenize(partXml(docx(body)), 'word/document.xml', DEFAULT_LIMITS));
  const part = frozen(clean('word/document.xml', parsed, () => undefined));
  const found = frozen(findTags(part, [], DEFAULT_LIMITS, throwing));
  const blocks = frozen(matchBlocks(found.tags, part.name, DEFAULT_LIMITS, throwing));
  const { tokens } = part;
  const layout = frozen(
    layOutBlocks({ tokens, found, blocks, isListItem: () => false, report: throwing }),
  );
  const surroundings = {
    styles: readStyles(undefined),
    numbering: createNumbering(undefined),
    repeatedNotes: new Map(),
  };
  const { uses } = emit({ part, found, blocks, layout, surroundings, report: throwing });
  expect(uses.map(({ path }) => path)).toEqual(['Name', 'A', 'B', 'L', 'L[]', 'A']);
});
