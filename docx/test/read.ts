import { DEFAULT_LIMITS, type Limits } from '../src/limits.ts';
import { decode } from '../src/xml/text.ts';
import { tokenize } from '../src/xml/tokenizer.ts';
import { attribute } from '../src/xml/tokens.ts';
import { unzip } from './builder.ts';

/** The result of a merge may be larger than any template. */
const UNLIMITED: Limits = { ...DEFAULT_LIMITS, tokens: Infinity };

/** The text of a part as a reader sees it: one line per paragraph, `|` between the cells of a row. */
export function textLines(bytes: Uint8Array, part = 'word/document.xml'): string[] {
  const tokens = tokenize(unzip(bytes).get(part)?.toString('utf8') ?? '', part, UNLIMITED);
  const lines: string[] = [];
  const rows: string[][] = [];
  const paragraphs: string[] = [];
  for (const token of tokens) {
    const parent = tokens[token.parent];
    if (token.name === 'w:tr') {
      if (token.kind === 'open') rows.push([]);
      else {
        const row = (rows.pop() ?? []).join(' | ');
        const outer = rows.at(-1);
        if (outer) outer[outer.length - 1] += `[${row}]`;
        else lines.push(row);
      }
    } else if (token.name === 'w:tc' && token.kind === 'open') rows.at(-1)?.push('');
    else if (token.name === 'w:p') {
      if (token.kind === 'open') paragraphs.push('');
      else {
        const line = paragraphs.pop() ?? '';
        const row = rows.at(-1);
        if (row) row[row.length - 1] += (row.at(-1) === '' ? '' : '/') + line;
        else lines.push(line);
      }
    } else if (paragraphs.length > 0 && token.kind !== 'close') {
      const add = (text: string) => {
        paragraphs[paragraphs.length - 1] += text;
      };
      if (token.kind === 'text' && parent?.name === 'w:t') add(decode(token.raw));
      else if (token.name === 'w:br') add(attribute(token, 'w:type') === 'page' ? '[page]' : '\n');
      else if (token.name === 'w:tab' && parent?.name === 'w:r') add('\t');
      else if (token.name === 'w:drawing') add('[picture]');
    }
  }
  return lines;
}

/** Faults that would make Word or LibreOffice repair the file. Empty when all is well. */
export function faults(bytes: Uint8Array): string[] {
  const found: string[] = [];
  const ids = new Set<string>();
  const files = unzip(bytes);
  for (const [name, data] of files) {
    if (!/\.(?:xml|rels)$/.test(name)) continue;
    const tokens = tokenize(data.toString('utf8'), name, UNLIMITED);
    for (const token of tokens) {
      if (token.kind === 'text' || token.kind === 'close') continue;
      const unique = (kind: string, id: string | undefined) => {
        if (id === undefined) return;
        const key = `${kind} ${id}`;
        if (ids.has(key)) found.push(`${name}: ${key} twice`);
        ids.add(key);
      };
      if (token.name === 'wp:docPr') unique('docPr', attribute(token, 'id'));
      if (token.name === 'w:bookmarkStart') {
        unique('bookmark', attribute(token, 'w:id'));
        unique('bookmark name', attribute(token, 'w:name'));
      }
      unique('paraId', attribute(token, 'w14:paraId'));
      if (/^v:(?!shapetype)/.test(token.name)) unique('shape', attribute(token, 'id'));
      if (token.name === 'w:id' && tokens[token.parent]?.name === 'w:sdtPr')
        unique('control', attribute(token, 'w:val'));
      const inner = tokens
        .slice(token.index + 1, token.match)
        .filter(({ parent }) => parent === token.index);
      const names = inner.filter(({ kind }) => kind !== 'close').map((each) => each.name);
      if (token.name === 'w:tbl' && !names.includes('w:tr'))
        found.push(`${name}: a table without rows`);
      if (token.name === 'w:tr' && !names.includes('w:tc') && !names.includes('w:sdt'))
        found.push(`${name}: a row without cells`);
      if (/^w:(?:tc|txbxContent|hdr|ftr|footnote)$/.test(token.name) && names.at(-1) !== 'w:p') {
        found.push(`${name}: ${token.name} does not end with a paragraph`);
      }
      if (token.name === 'w:p' && ['w:p', 'w:tbl'].includes(tokens[token.parent]?.name ?? ''))
        found.push(`${name}: a misplaced paragraph`);
      if (token.name === 'w:r' && tokens[token.parent]?.name === 'w:r')
        found.push(`${name}: a run in a run`);
    }
    const bookmarks = (kind: string) => tokens.filter((each) => each.name === kind).length;
    if (bookmarks('w:bookmarkStart') !== bookmarks('w:bookmarkEnd'))
      found.push(`${name}: a bookmark without its end`);
    if (name.endsWith('.rels'))
      found.push(...danglingTargets(name, tokens.map((t) => t.raw).join(''), files));
  }
  return found;
}

function danglingTargets(name: string, xml: string, files: ReadonlyMap<string, Buffer>): string[] {
  const base = name.replace(/_rels\/[^/]*$/, '');
  const found: string[] = [];
  for (const [tag] of xml.matchAll(/<Relationship [^>]*>/g)) {
    const target = /Target="([^"]*)"/.exec(tag)?.[1] ?? '';
    if (tag.includes('External')) continue;
    const path = target.startsWith('/') ? target.slice(1) : `${base}${target}`;
    if (!files.has(path)) found.push(`${name}: ${target} is not there`);
  }
  return found;
}
