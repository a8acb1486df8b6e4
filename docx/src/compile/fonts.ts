import type { Package } from '../package/open.ts';
import { kindOf, resolveTarget } from '../package/relationships.ts';
import { decode } from '../xml/text.ts';
import type { Token } from '../xml/tokenizer.ts';
import { attribute, child } from '../xml/tokens.ts';
import { type Styles, fontsWithin } from './styles.ts';

/** The fonts that the text of the template names: directly, by its styles and by its theme. */
export function fontsOf(
  file: Package,
  parts: readonly { readonly tokens: readonly Token[] }[],
  styles: Styles,
): string[] {
  const named = new Set(styles.defaultFonts);
  const used = new Set<string>();
  for (const { tokens } of parts) {
    const root = tokens[0];
    if (root) for (const font of fontsWithin(tokens, root)) named.add(font);
    for (const token of tokens) {
      if (/^w:(?:pStyle|rStyle|tblStyle)$/.test(token.name) && token.kind !== 'close') {
        used.add(attribute(token, 'w:val') ?? '');
      }
    }
  }
  for (const font of styles.fontsOf(used)) named.add(font);
  const theme = themeFonts(file);
  const fonts = new Set<string>();
  for (const font of named) {
    const name = font.startsWith('theme:') ? theme.get(font) : decode(font);
    if (name !== undefined && name !== '') fonts.add(name);
  }
  return [...fonts].toSorted();
}

function themeFonts(file: Package): Map<string, string> {
  const found = new Map<string, string>();
  const relation = file.main.relationships.find((each) => kindOf(each) === 'theme');
  const name = relation && resolveTarget(file.main.name, relation.target);
  const tokens = name === undefined ? undefined : file.parts.get(name.toLowerCase())?.tokens;
  for (const token of tokens ?? []) {
    const kind = /^a:(major|minor)Font$/.exec(token.name)?.[1];
    if (kind === undefined || token.kind !== 'open' || !tokens) continue;
    const latin = child(tokens, token, 'a:latin');
    const face = latin && attribute(latin, 'typeface');
    if (face !== undefined) found.set(`theme:${kind}`, face);
  }
  return found;
}
