import type { Report } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import type { BlockName } from '../tags/expression.ts';
import type { Tag } from '../tags/tags.ts';

/** An opener with its closer. */
export interface Block {
  readonly name: BlockName;
  readonly open: Tag;
  readonly elses: readonly Tag[];
  readonly close: Tag;
  readonly parent: Block | undefined;
}

/** Matches openers and closers in the order in which they stand. */
export function matchBlocks(
  tags: readonly Tag[],
  part: string,
  limits: Limits,
  report: Report,
): Block[] {
  interface Open {
    readonly name: BlockName;
    readonly tag: Tag;
    readonly elses: Tag[];
    readonly slot: number;
    readonly parent: Open | undefined;
    block?: Block;
  }
  const stack: Open[] = [];
  const opened: Open[] = [];
  for (const tag of tags) {
    const { parsed, place } = tag;
    const top = stack.at(-1);
    if (parsed.kind === 'open') {
      const entry: Open = { name: parsed.block, tag, elses: [], slot: opened.length, parent: top };
      opened.push(entry);
      stack.push(entry);
      if (stack.length > limits.blockDepth) {
        report('too_deep', `Blocks are nested more than ${limits.blockDepth} deep.`, place);
        return [];
      }
    } else if (parsed.kind === 'else') {
      if (top) checkElse(top.elses, tag, top.name, report);
      else report('misplaced_else', '{{else}} stands outside of every block.', place);
      top?.elses.push(tag);
    } else if (parsed.kind === 'close') {
      const named = stack.findLastIndex(({ name }) => name === parsed.block);
      if (named === -1 || top === undefined) {
        report('unbalanced_block', `${tag.source} closes a block that is not open.`, place);
        continue;
      }
      for (const left of stack.splice(named + 1)) unclosed(left.tag, tag.source, report);
      const entry = stack.pop();
      if (entry) entry.block = finish(entry.name, entry.tag, entry.elses, tag);
    }
  }
  for (const left of stack) unclosed(left.tag, `the end of ${part}`, report);
  const blocks: Block[] = [];
  for (const entry of opened) {
    if (!entry.block) continue;
    const block = { ...entry.block, parent: entry.parent?.block };
    entry.block = block;
    blocks.push(block);
  }
  return blocks;
}

function finish(name: BlockName, open: Tag, elses: readonly Tag[], close: Tag): Block {
  return { name, open, elses, close, parent: undefined };
}

function checkElse(before: readonly Tag[], tag: Tag, name: BlockName, report: Report): void {
  const last = before.at(-1)?.parsed;
  if (last?.kind === 'else' && last.test === undefined) {
    report(
      'misplaced_else',
      'There is an {{else}} after the last {{else}} of its block.',
      tag.place,
    );
  } else if (name !== 'if' && tag.parsed.kind === 'else' && tag.parsed.test) {
    report('misplaced_else', `{{else if}} belongs to {{#if}}, not to {{#${name}}}.`, tag.place);
  }
}

function unclosed(tag: Tag, before: string, report: Report): void {
  const name = tag.parsed.kind === 'open' ? tag.parsed.block : '';
  report('unbalanced_block', `${tag.source} has no {{/${name}}} before ${before}.`, tag.place);
}
