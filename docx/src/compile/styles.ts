import type { Token } from '../xml/tokenizer.ts';
import { attribute, child, children, leading } from '../xml/tokens.ts';

/** The facts about styles that the merge needs. */
export interface Styles {
  /** Paragraph styles that number or bullet, directly or by what they are based on. */
  readonly lists: ReadonlySet<string>;
  /** The list and level that a style numbers by; none for headings, whose numbers run through the document. */
  listOf(id: string): ListLevel | undefined;
  readonly ids: ReadonlySet<string>;
  /** The fonts that these styles name, their bases included. */
  fontsOf(ids: Iterable<string>): ReadonlySet<string>;
  /** Fonts of the defaults and of the default styles, which every document uses. */
  readonly defaultFonts: readonly string[];
}

/** A list of the numbering part, and a level of it. */
export interface ListLevel {
  readonly numId: string;
  readonly level: number;
}

interface Style {
  readonly basedOn: string | undefined;
  readonly fonts: readonly string[];
  readonly numbered: boolean;
  readonly list: Partial<ListLevel>;
  readonly heading: boolean;
}

/** The list that `w:pPr` names itself. */
export function listWithin(tokens: readonly Token[], properties: Token): Partial<ListLevel> {
  const numbering = child(tokens, properties, 'w:numPr');
  const value = (name: string) => {
    const found = numbering && child(tokens, numbering, name);
    return found && attribute(found, 'w:val');
  };
  const numId = value('w:numId');
  const level = value('w:ilvl');
  return {
    ...(numId === undefined ? {} : { numId }),
    ...(level === undefined ? {} : { level: Number(level) || 0 }),
  };
}

export function readStyles(tokens: readonly Token[] | undefined): Styles {
  const styles = new Map<string, Style>();
  const defaults: string[] = [];
  const defaultIds: string[] = [];
  const root = tokens?.[0];
  for (const token of root && tokens ? children(tokens, root) : []) {
    if (!tokens || token.gone) continue;
    const fonts = fontsWithin(tokens, token);
    if (token.name === 'w:docDefaults') for (const font of fonts) defaults.push(font);
    const id = token.name === 'w:style' ? attribute(token, 'w:styleId') : undefined;
    if (id === undefined) continue;
    const properties = child(tokens, token, 'w:pPr');
    const base = child(tokens, token, 'w:basedOn');
    if (attribute(token, 'w:default') === '1') defaultIds.push(id);
    styles.set(id, {
      fonts,
      basedOn: base && attribute(base, 'w:val'),
      numbered: properties !== undefined && child(tokens, properties, 'w:numPr') !== undefined,
      list: properties ? listWithin(tokens, properties) : {},
      heading: properties !== undefined && child(tokens, properties, 'w:outlineLvl') !== undefined,
    });
  }
  const fontsOf = (ids: Iterable<string>): Set<string> => {
    const fonts = new Set<string>();
    const seen = new Set<string>();
    for (const id of ids) {
      // Each style once: chains of bases share their ends.
      for (let at: string | undefined = id; at !== undefined && !seen.has(at);) {
        seen.add(at);
        const style = styles.get(at);
        for (const font of style?.fonts ?? []) fonts.add(font);
        at = style?.basedOn;
      }
    }
    return fonts;
  };
  const numbers = numbersWithBases(styles);
  const listOf = (id: string): ListLevel | undefined => {
    const { list: { numId, level = 0 } = {}, heading } = numbers.get(id) ?? {};
    return numId === undefined || heading ? undefined : { numId, level };
  };
  return {
    lists: new Set([...styles.keys()].filter((id) => numbers.get(id)?.numbered)),
    ids: new Set(styles.keys()),
    listOf,
    fontsOf,
    defaultFonts: [...defaults, ...fontsOf(defaultIds)],
  };
}

type Numbers = Pick<Style, 'numbered' | 'heading' | 'list'>;
const NO_NUMBERS: Numbers = { numbered: false, heading: false, list: {} };

/**
 * The numbering of each style, its bases included. A base that is known is not asked again: long chains would take
 * time by the square of their length. A style that is its own base ends there.
 */
function numbersWithBases(styles: ReadonlyMap<string, Style>): ReadonlyMap<string, Numbers> {
  const known = new Map<string, Numbers>();
  for (const id of styles.keys()) {
    const path = new Set<string>();
    let at: string | undefined = id;
    while (at !== undefined && !known.has(at) && !path.has(at)) {
      path.add(at);
      at = styles.get(at)?.basedOn;
    }
    let numbers = (at === undefined ? undefined : known.get(at)) ?? NO_NUMBERS;
    for (const each of [...path].toReversed()) {
      const own = styles.get(each) ?? NO_NUMBERS;
      numbers = {
        numbered: own.numbered || numbers.numbered,
        heading: own.heading || numbers.heading,
        list: { ...numbers.list, ...own.list },
      };
      known.set(each, numbers);
    }
  }
  return known;
}

const FONT_ATTRIBUTES = /^w:(?:ascii|hAnsi|cs|eastAsia|font)$/;
const THEME_ATTRIBUTES = /^w:(?:ascii|hAnsi|cs|eastAsia)Theme$/;

/** Names of fonts, and `theme:minor` or `theme:major` where the theme decides. */
export function fontsWithin(tokens: readonly Token[], within: Token): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  for (let i = within.index; i <= within.match; i++) {
    const token = tokens[i];
    if (!token || token.gone || token.kind === 'close') continue;
    // A whole text names the same few fonts over and over.
    if ((token.name === 'w:rFonts' || token.name === 'w:sym') && !seen.has(token.raw)) {
      seen.add(token.raw);
      for (const match of token.raw.matchAll(/ ([\w:]+)=["']([^"']*)["']/g)) {
        const [, name = '', value = ''] = match;
        if (FONT_ATTRIBUTES.test(name)) found.push(value);
        // Only the Latin face: themes name dozens for other scripts.
        else if (THEME_ATTRIBUTES.test(name) && /^w:(?:ascii|hAnsi)/.test(name)) {
          found.push(value.startsWith('major') ? 'theme:major' : 'theme:minor');
        }
      }
    }
  }
  return found;
}

/** A paragraph that is numbered or bulleted, by itself or by its style. */
export function isListItem(tokens: readonly Token[], paragraph: Token, { lists }: Styles): boolean {
  const properties = leading(tokens, paragraph, 'w:pPr');
  if (!properties) return false;
  const style = child(tokens, properties, 'w:pStyle');
  const id = style && attribute(style, 'w:val');
  return child(tokens, properties, 'w:numPr') !== undefined || (id !== undefined && lists.has(id));
}
