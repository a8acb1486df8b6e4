import type { Documents } from '@millrace/documents';
import { type Handlers, ok } from '../http/handler.ts';
import { download } from './download.ts';
import { fileJson } from './json/document.ts';

type Names = 'listFiles' | 'getFile' | 'downloadFile' | 'deleteFile';

export function fileHandlers({ files }: Documents): Handlers<Names> {
  return {
    async listFiles({ query }) {
      const { items, next } = await files.list(query);
      return ok({ files: items.map(fileJson), next });
    },
    async getFile({ params: { id } }) {
      return ok(fileJson(await files.get(id)));
    },
    async downloadFile({ params: { id }, headers }) {
      const file = await files.get(id);
      const { name, mediaType, size, sha256: etag } = file;
      return download(
        {
          name,
          mediaType,
          size,
          etag,
          async *read(range) {
            yield* (await files.read(id, { range })).bytes;
          },
        },
        headers.range,
      );
    },
    async deleteFile({ params: { id } }) {
      await files.remove(id);
      return ok({ removed: id });
    },
  };
}
