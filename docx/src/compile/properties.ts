import type { Report } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { decode, escapeText } from '../xml/text.ts';
import type { Token } from '../xml/tokenizer.ts';
import { createBuilder } from './ops/builder.ts';
import { textOfPieces } from './tags/paragraphs.ts';
import type { CompiledPart } from './part.ts';
import { type Tag, scan, segmentsOf } from './tags/scan.ts';
import { type FieldUse, collectUses } from './ops/uses.ts';

/** The document's title, author and the like: values stand in the text of their elements. */
export function compileProperties(
  name: string,
  tokens: readonly Token[],
  limits: Limits,
  report: Report,
): CompiledPart {
  const builder = createBuilder();
  const tags: Tag[] = [];
  const uses: FieldUse[] = [];
  for (const token of tokens) {
    if (token.gone) continue;
    const text = token.kind === 'text' ? decode(token.raw) : '';
    const found = text.includes('{{')
      ? scan(textOfPieces(token, 0, [[token, text]]), {
          part: name,
          site: 'attribute',
          report,
          room: limits.tags - tags.length,
        })
      : [];
    if (found.length === 0) {
      builder.text(token.raw);
      continue;
    }
    for (const tag of found) tags.push(tag);
    for (const segment of segmentsOf(text, found)) {
      if (typeof segment === 'string') builder.text(escapeText(segment));
      else if (segment.parsed.kind === 'value') {
        const { value } = segment.parsed;
        builder.add({ op: 'plain', value, as: 'attribute', place: segment.place });
        collectUses(value, [''], segment.place, 'value', (use) => uses.push(use));
      }
    }
  }
  const ops = builder.close();
  return {
    name,
    dynamic: tags.length > 0,
    tokens,
    tags,
    blocks: [],
    unfilled: [],
    unfilledFields: [],
    ignoredSwitches: [],
    ops,
    uses,
    restartsLists: false,
    draws: new Set(),
    repeatedNotes: new Map(),
  };
}
