import { TemplateError } from '../errors.ts';
import {
  RELATIONSHIPS_HEAD,
  RELATIONSHIPS_TAIL,
  type Relationship,
  relationshipXml,
} from '../package/relationships.ts';
import type { Picture } from '../helpers/picture.ts';

/** The files and relationships that one merge adds. Equal pictures and links are added once. */
export interface Media {
  readonly files: readonly { readonly name: string; readonly picture: Picture }[];
  /** The picture that a value stands for; made on first use. */
  picture(key: string, make: () => Picture): { readonly picture: Picture; readonly name: string };
  part(base: readonly Relationship[]): PartMedia;
}

export interface PartMedia {
  /** Gives the id by which the part refers to a file or an address. */
  relate(kind: 'image' | 'hyperlink', target: string): string;
  xml(): string;
}

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const STRICT_TYPES = 'http://purl.oclc.org/ooxml/officeDocument/relationships';

export interface MediaOptions {
  readonly strictFormat: boolean;
  /** The beginning of the names of files; no part of the template has it. */
  readonly prefix: string;
  /** Bytes of all pictures together. */
  readonly limit: number;
}

export function createMedia({ strictFormat, prefix, limit }: MediaOptions): Media {
  let bytes = 0;
  const files: { name: string; picture: Picture }[] = [];
  const known = new Map<string, { picture: Picture; name: string }>();
  return {
    files,
    picture: (key, make) => {
      const found = known.get(key);
      if (found) return found;
      const picture = make();
      bytes += picture.bytes.length;
      if (bytes > limit) {
        throw new TemplateError('output_too_large', `The pictures have more than ${limit} bytes.`);
      }
      const file = { picture, name: `${prefix}${files.length + 1}.${picture.ending}` };
      files.push(file);
      known.set(key, file);
      return file;
    },
    part: (base) => {
      const ids = new Map<string, string>();
      let added = '';
      // A merged document may be a template again: its ids are taken.
      let start = 'mrId';
      while (base.some(({ id }) => id.startsWith(start))) start += 'x';
      return {
        relate: (kind, target) => {
          const key = `${kind} ${target}`;
          const given = ids.get(key);
          if (given !== undefined) return given;
          const id = `${start}${ids.size + 1}`;
          ids.set(key, id);
          const type = `${strictFormat ? STRICT_TYPES : TYPES}/${kind}`;
          const external = kind === 'hyperlink';
          added += relationshipXml({
            id,
            type,
            target: external ? target : `/${target}`,
            external,
          });
          return id;
        },
        xml: () =>
          RELATIONSHIPS_HEAD + base.map(relationshipXml).join('') + added + RELATIONSHIPS_TAIL,
      };
    },
  };
}
