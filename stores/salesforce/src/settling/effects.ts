import type { Effect } from '@millrace/engine';
import { type Subrequest, id18, isId } from '@millrace/salesforce';
import { unreferring } from '../records/names.ts';

export const FILES = 'salesforce.files';

/** Files that are uploaded, linked and named by the record in the transaction that ends the job. */
export interface FilesEffect extends Effect {
  readonly type: typeof FILES;
  readonly files: readonly FileToUpload[];
  readonly links: Links;
}

export interface Links {
  /** Records that the files are linked to. */
  readonly parents: readonly string[];
  /** Who sees the files there. Everybody who sees the record, people of an Experience site included, unless the request says otherwise. */
  readonly visibility?: 'AllUsers' | 'InternalUsers';
}

export interface FileToUpload {
  readonly part: 'output' | 'docx';
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function filesEffect(files: readonly FileToUpload[], links: Links): FilesEffect {
  // A record has an id of 15 characters and one of 18: a second link would be refused.
  const ids = links.parents.map((parent) => (isId(parent) ? id18(parent) : parent));
  // In one order: a link locks its parent, and two documents that wait for each other's parents fail both.
  return { type: FILES, files, links: { ...links, parents: [...new Set(ids)].toSorted() } };
}

export function filesOf(effects: readonly Effect[]): FilesEffect[] {
  return effects.map((effect) => {
    if (effect.type === FILES) return effect as FilesEffect;
    throw new TypeError(`Salesforce cannot commit the effect "${effect.type}".`);
  });
}

/** How the record names what is uploaded in the same graph. */
export function fileIdOf(part: FileToUpload['part']): string {
  return `@{${part}.id}`;
}

/** Insert gives the version alone, so it is read back for the document that the links need. */
export function uploads(effects: readonly FilesEffect[]): Subrequest[] {
  return effects.flatMap(({ files, links: { parents, visibility = 'AllUsers' } }) =>
    files.flatMap(({ part, name, bytes }) => [
      {
        method: 'POST',
        url: 'sobjects/ContentVersion',
        referenceId: part,
        body: {
          ...titled(name),
          VersionData: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
            'base64',
          ),
        },
      } satisfies Subrequest,
      ...(parents.length === 0
        ? []
        : [
            {
              method: 'GET',
              url: `sobjects/ContentVersion/${fileIdOf(part)}?fields=ContentDocumentId`,
              referenceId: `${part}Version`,
            } satisfies Subrequest,
          ]),
      ...parents.map((parent, index): Subrequest => ({
        method: 'POST',
        url: 'sobjects/ContentDocumentLink',
        referenceId: `${part}Link${index}`,
        body: {
          ContentDocumentId: `@{${part}Version.ContentDocumentId}`,
          LinkedEntityId: parent,
          ShareType: 'V',
          Visibility: visibility,
        },
      })),
    ]),
  );
}

/** Salesforce shows the ending by itself, and takes 255 characters. Half an emoji is none. */
function titled(name: string): { Title: string; PathOnClient: string } {
  const ending = /\.(?:pdf|docx)$/i.exec(name)?.[0] ?? '';
  const stem = unreferring(name.slice(0, name.length - ending.length))
    .slice(0, 255)
    .replace(/[\uD800-\uDBFF]$/, '');
  return { Title: stem, PathOnClient: stem + ending };
}
