import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Found } from '../find.ts';

/**
 * LibreOffice decides by content what a file is: an ODT, an HTML page or a flat XML under the name of a DOCX would be opened as
 * such, with all that its format may refer to. LibreOfficeKit has no way to name the filter. So every other format is taken out of
 * the profile's list: then it is a DOCX or it is refused. Opening gets a little faster too, since nothing else is tried.
 *
 * The formats that stay: DOCX with its templates; PDF, which is written; charts and formulas, which a DOCX may hold; pictures, since one type
 * of them missing makes LibreOffice forget how to read any; and ODT as a type without a filter, since a damaged ZIP is taken for
 * one, and crashed LibreOffice where there was none.
 */
const KEPT =
  /^(?:writer_MS_Word_2007\w*|writer_OOXML\w*|pdf_Portable_Document_Format|chart8|math8|writer8)$/;
const WITHOUT_FILTER = 'writer8';

/** A member of one of the two lists that LibreOffice recognises and reads files by. */
export interface OtherFormat {
  readonly list: 'Types/Types' | 'Filter/Filters';
  readonly name: string;
}

const COMPONENT =
  /<oor:component-data\b(?=[^>]*\boor:package="org\.openoffice\.TypeDetection")[^>]*?\boor:name="(Types|GraphicFilter)"[^>]*>(.*?)<\/oor:component-data>/gs;
const TYPE = /<node oor:name="([^"]+)" oor:op="replace"/g;
const TYPE_OF_PICTURE = /<prop oor:name="Type"[^>]*>\s*<value>([^<]+)<\/value>/g;

/** All formats of this LibreOffice that are not for us: 60 of Debian's Writer, 250 of a whole one. 30 ms. */
export async function otherFormats({ program }: Found): Promise<OtherFormat[]> {
  const known = new Set<string>();
  const pictures = new Set<string>();
  for (const place of ['../share/registry', '../Resources/registry'])
    for (const xml of await settingsIn(join(program, place)))
      for (const [, component, content = ''] of xml.matchAll(COMPONENT)) {
        const [names, pattern] =
          component === 'Types' ? [known, TYPE] : [pictures, TYPE_OF_PICTURE];
        for (const [, name] of content.matchAll(pattern)) if (name !== undefined) names.add(name);
      }
  // Without a list of pictures it was not understood: everything stays as it is.
  if (pictures.size === 0) return [];
  const others = [...known].filter((name) => !KEPT.test(name) && !pictures.has(name)).toSorted();
  return [
    // A name that was cut out of its file keeps all of it in memory, 2.5 MB.
    ...others.map((name) => ({ list: 'Types/Types', name: Buffer.from(name).toString() }) as const),
    { list: 'Filter/Filters', name: WITHOUT_FILTER },
  ];
}

async function settingsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.xcd'));
  return Promise.all(files.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
}
