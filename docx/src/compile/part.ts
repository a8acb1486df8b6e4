import type { Report } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Token } from '../xml/tokenizer.ts';
import { attribute, child, compact, leading } from '../xml/tokens.ts';
import { type Block, matchBlocks } from './blocks.ts';
import { type Emission, emit } from './emit.ts';
import { stripFieldCodes } from './field-codes.ts';
import { layOutBlocks } from './levels.ts';
import { acceptRevisions } from './revisions.ts';
import type { Styles } from './styles.ts';
import { type Tag, findTags } from './tags.ts';

export interface CompiledPart extends Emission {
  readonly name: string;
  readonly tokens: readonly Token[];
  readonly tags: readonly Tag[];
  readonly blocks: readonly Block[];
  readonly paragraphs: number;
}

/** The way of a part: what Word left is cleaned, tags are found, blocks laid out, ops written. */
export function compilePart(
  name: string,
  parsed: readonly Token[],
  styles: Styles,
  limits: Limits,
  report: Report,
  onStripped: (what: string) => void,
): CompiledPart {
  const cleaned = acceptRevisions(compact(parsed));
  const instructions = stripFieldCodes(cleaned, (field) => onStripped(`the field ${field}`));
  const tokens = compact(cleaned);
  const found = findTags(tokens, instructions, name, limits, report);
  const blockTags = found.tags.filter(
    ({ parsed: { kind } }) => kind !== 'value' && kind !== 'comment',
  );
  const blocks = matchBlocks(blockTags, name, limits, report);
  const isListItem = (paragraph: Token): boolean => {
    const properties = leading(tokens, paragraph, 'w:pPr');
    if (!properties) return false;
    const style = child(tokens, properties, 'w:pStyle');
    const id = style && attribute(style, 'w:val');
    return (
      child(tokens, properties, 'w:numPr') !== undefined ||
      (id !== undefined && styles.lists.has(id))
    );
  };
  const layout = layOutBlocks(tokens, found, blocks, isListItem, report);
  const emission = emit(tokens, found, blocks, layout, report);
  return { name, tokens, tags: found.tags, blocks, paragraphs: found.paragraphs.size, ...emission };
}
