import type { Place, Report } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Relationship } from '../package/relationships.ts';
import type { Token } from '../xml/tokenizer.ts';
import { type Block, matchBlocks } from './layout/blocks.ts';
import { clean } from './clean/clean.ts';
import type { Level } from './tags/expression.ts';
import { type Emission, type Surroundings, emit } from './ops/emit.ts';
import { layOutBlocks } from './layout/levels.ts';
import { isListItem } from './styles.ts';
import { type Tag, findTags } from './tags/tags.ts';
import { type UnfilledField, ignoredSwitches, unfilledFields } from './clean/unfilled-fields.ts';

export interface PlacedBlock extends Block {
  readonly level: Level;
}

export interface CompiledPart extends Emission {
  readonly name: string;
  readonly tokens: readonly Token[];
  readonly tags: readonly Tag[];
  readonly blocks: readonly PlacedBlock[];
  /** Tags in places where they are not filled. */
  readonly unfilled: readonly Place[];
  /** Fields of Word that no merge fills. */
  readonly unfilledFields: readonly UnfilledField[];
  /** Switches of Word's fields that no merge follows. */
  readonly ignoredSwitches: readonly UnfilledField[];
  /** The data decides something in it, so each merge writes it. */
  readonly dynamic: boolean;
}

export interface PartInput {
  readonly name: string;
  readonly tokens: readonly Token[];
  readonly relationships: readonly Relationship[];
  readonly surroundings: Surroundings;
  readonly limits: Limits;
  readonly report: Report;
  readonly onStripped: (what: string) => void;
}

/**
 * The way of a part. Each step reads what the one before it made and changes nothing of it: what Word left is cleaned,
 * tags are found, their blocks matched and laid out, ops written.
 */
export function compilePart(input: PartInput): CompiledPart {
  const { name, surroundings, limits, report } = input;
  const part = clean(name, input.tokens, input.onStripped);
  const found = findTags(part, input.relationships, limits, report);
  const blocks = matchBlocks(found.tags, name, limits, report);
  const layout = layOutBlocks({
    tokens: part.tokens,
    found,
    blocks,
    isListItem: (paragraph) => isListItem(part.tokens, paragraph, surroundings.styles),
    report,
  });
  const emission = emit({ part, found, blocks, layout, surroundings, report });
  const { tags, unfilled } = found;
  const placed = blocks.map((block) => ({ ...block, level: layout.levels.get(block) ?? 'inline' }));
  const dynamic = tags.length > 0 || emission.ops.some(({ op }) => op === 'note');
  return {
    name,
    dynamic,
    tokens: part.tokens,
    tags,
    blocks: placed,
    unfilled,
    unfilledFields: unfilledFields(part, found),
    ignoredSwitches: ignoredSwitches(part, found),
    ...emission,
  };
}
