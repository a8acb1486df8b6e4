import type { Report } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { openPackage, type Package, type Part } from '../package/open.ts';
import { kindOf, resolveTarget } from '../package/relationships.ts';
import type { Token } from '../xml/tokenizer.ts';
import { attribute, child } from '../xml/tokens.ts';
import { type CompiledPart, compilePart } from './part.ts';
import type { RepeatedNotes } from './notes.ts';
import { compileProperties } from './properties.ts';
import { createNumbering, type Numbering } from './numbering.ts';
import { fontsWithin, readStyles, type Styles } from './styles.ts';
import { decode } from '../xml/text.ts';

export interface Compiled {
  readonly file: Package;
  readonly parts: readonly CompiledPart[];
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly fonts: readonly string[];
  readonly stripped: readonly { part: string; what: string }[];
  /** The highest id of a drawing or bookmark in the template. */
  readonly highestId: number;
  /** Width of the text in English Metric Units. */
  readonly textWidth: number;
  /** The ISO strict form of the format, with namespaces of its own. */
  readonly strictFormat: boolean;
}

/** The parts in which tags are filled in, by the kind of their relationship to the document. */
const TEMPLATED: readonly string[] = ['header', 'footer', 'footnotes', 'endnotes'];

export function compileFile(bytes: Uint8Array, limits: Limits, report: Report): Compiled {
  const file = openPackage(bytes, limits);
  const stripped = [...file.stripped];
  const related = (kinds: readonly string[]): Part[] =>
    file.main.relationships
      .filter((relation) => kinds.includes(kindOf(relation)))
      .map((relation) =>
        file.parts.get((resolveTarget(file.main.name, relation.target) ?? '').toLowerCase()),
      )
      .filter((part) => part !== undefined);
  const styles = readStyles(related(['styles'])[0]?.tokens);
  const numbering = createNumbering(related(['numbering'])[0]);
  let repeatedNotes: RepeatedNotes = new Map();
  const parts: CompiledPart[] = [];
  for (const { name, tokens, relationships } of new Set([file.main, ...related(TEMPLATED)])) {
    const onStripped = (what: string) => stripped.push({ part: name, what });
    if (!tokens) continue;
    const surroundings = { styles, numbering, repeatedNotes };
    const part = compilePart({
      name,
      tokens,
      relationships,
      surroundings,
      limits,
      report,
      onStripped,
    });
    parts.push(part);
    // The main part comes first, and only it refers to notes.
    if (parts.length === 1) repeatedNotes = part.repeatedNotes;
  }
  for (const { name, tokens } of propertyParts(file)) {
    if (tokens) parts.push(compileProperties(name, tokens, limits, report));
  }
  const main = parts[0]?.tokens ?? [];
  return {
    file,
    parts,
    styles,
    numbering,
    stripped,
    fonts: fontsOf(file, parts, styles),
    highestId: highestId(parts),
    textWidth: textWidth(main),
    strictFormat: main[0]?.raw.includes('http://purl.oclc.org/ooxml/wordprocessingml') ?? false,
  };
}

const PROPERTIES: readonly string[] = [
  'core-properties',
  'extended-properties',
  'custom-properties',
];

function propertyParts({ rootRelationships, parts }: Package): Part[] {
  return rootRelationships
    .filter((relation) => PROPERTIES.includes(kindOf(relation)))
    .map((relation) => parts.get((resolveTarget('', relation.target) ?? '').toLowerCase()))
    .filter((part) => part !== undefined);
}

/** Elements with a number that no other of their kind may have. */
const NUMBERED: Readonly<Record<string, string>> = {
  'wp:docPr': 'id',
  'w:bookmarkStart': 'w:id',
  'w:permStart': 'w:id',
  'w:footnote': 'w:id',
  'w:endnote': 'w:id',
};

function highestId(parts: readonly CompiledPart[]): number {
  let highest = 0;
  for (const { tokens } of parts) {
    for (const token of tokens) {
      if (token.kind === 'close') continue;
      const id = NUMBERED[token.name];
      if (id !== undefined) highest = Math.max(highest, Number(attribute(token, id)) || 0);
    }
  }
  return highest < 0x7000_0000 ? highest : 0;
}

const EMU_PER_TWIP = 635;
const DEFAULT_TEXT_WIDTH = 9_026; // A4 with Word's margins, in twips

/** The text width of the last section, which is the whole document in most. */
function textWidth(tokens: readonly Token[]): number {
  const section = tokens.findLast(({ name, kind }) => name === 'w:sectPr' && kind === 'open');
  const size = section && child(tokens, section, 'w:pgSz');
  const margin = section && child(tokens, section, 'w:pgMar');
  const page = Number(size && attribute(size, 'w:w'));
  const left = Number(margin && attribute(margin, 'w:left')) || 0;
  const right = Number(margin && attribute(margin, 'w:right')) || 0;
  const width = page - left - right;
  return (width > 500 ? width : DEFAULT_TEXT_WIDTH) * EMU_PER_TWIP;
}

const STYLED: ReadonlySet<string> = new Set(['w:pStyle', 'w:rStyle', 'w:tblStyle']);

/** The fonts that the text of the template names: directly, by its styles and by its theme. */
function fontsOf(
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
      if (STYLED.has(token.name) && token.kind !== 'close') {
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
