import { type Part, serialize } from '../package/open.ts';
import { escapeAttribute } from '../xml/text.ts';
import type { Token } from '../xml/tokenizer.ts';
import { attribute, child, children } from '../xml/tokens.ts';
import type { ListLevel } from './styles.ts';

/** The lists of a document, and the numbering part with further ones. */
export interface Numbering {
  readonly name: string;
  readonly highestId: number;
  /** The level shows numbers or letters: bullets have nothing to begin again. */
  counts(list: ListLevel): boolean;
  /** The part with one more list for each of those given: the same as `of`, begun again. */
  withLists(added: readonly AddedList[]): Buffer;
}

export interface AddedList {
  readonly id: number;
  readonly of: string;
}

interface Level {
  readonly format: string;
  readonly start: number;
}

interface List {
  readonly abstract: string;
  readonly levels: ReadonlyMap<number, Level>;
}

/** Apart from the reading, so that no closure keeps the parsed part alive. */
export function createNumbering(part: Part | undefined): Numbering {
  const lists = readLists(part?.tokens ?? []);
  const xml = part && lists.size > 0 ? serialize(part.tokens ?? []).toString() : '';
  const end = xml.lastIndexOf('</w:num>') + '</w:num>'.length;
  return numberingOf(part?.name ?? '', lists, xml.slice(0, end), xml.slice(end));
}

function numberingOf(
  name: string,
  lists: ReadonlyMap<string, List>,
  head: string,
  tail: string,
): Numbering {
  const restarted = ({ id, of }: AddedList): string => {
    const list = lists.get(of);
    let overrides = '';
    for (const [level, { start }] of list?.levels ?? []) {
      overrides += `<w:lvlOverride w:ilvl="${level}"><w:startOverride w:val="${start}"/></w:lvlOverride>`;
    }
    const abstract = escapeAttribute(list?.abstract ?? '');
    return `<w:num w:numId="${id}"><w:abstractNumId w:val="${abstract}"/>${overrides}</w:num>`;
  };
  return {
    name,
    highestId: Math.max(0, ...[...lists.keys()].map((id) => Number(id) || 0)),
    counts: ({ numId, level }) => {
      const format = lists.get(numId)?.levels.get(level)?.format;
      return format !== undefined && format !== 'bullet' && format !== 'none';
    },
    withLists: (added) => Buffer.from(head + added.map(restarted).join('') + tail),
  };
}

function readLists(tokens: readonly Token[]): Map<string, List> {
  const abstracts = new Map<string, ReadonlyMap<number, Level>>();
  const lists = new Map<string, List>();
  const root = tokens[0];
  for (const token of root ? children(tokens, root) : []) {
    if (token.name === 'w:abstractNum') {
      const id = attribute(token, 'w:abstractNumId') ?? '';
      abstracts.set(id, readLevels(tokens, token, new Map()));
    } else if (token.name === 'w:num') {
      const abstract = valueOf(tokens, token, 'w:abstractNumId') ?? '';
      const levels = readLevels(tokens, token, abstracts.get(abstract) ?? new Map());
      lists.set(attribute(token, 'w:numId') ?? '', { abstract, levels });
    }
  }
  return lists;
}

/** The levels of `parent`, over those that are known already. */
function readLevels(
  tokens: readonly Token[],
  parent: Token,
  known: ReadonlyMap<number, Level>,
): ReadonlyMap<number, Level> {
  const levels = new Map(known);
  for (const inner of children(tokens, parent)) {
    if (inner.name !== 'w:lvl' && inner.name !== 'w:lvlOverride') continue;
    const own = inner.name === 'w:lvl' ? inner : child(tokens, inner, 'w:lvl');
    const number = Number(attribute(inner, 'w:ilvl')) || 0;
    const before = levels.get(number);
    const start =
      valueOf(tokens, inner, 'w:startOverride') ?? (own && valueOf(tokens, own, 'w:start'));
    const format = own && valueOf(tokens, own, 'w:numFmt');
    levels.set(number, {
      format: format ?? before?.format ?? 'decimal',
      start: Number(start ?? before?.start ?? 1) || 0,
    });
  }
  return levels;
}

function valueOf(tokens: readonly Token[], parent: Token, name: string): string | undefined {
  const found = child(tokens, parent, name);
  return found && attribute(found, 'w:val');
}
