import { type HandlersOf, download, ok } from '@millrace/workload-kit';
import type { fileContracts } from '../contract/files.ts';
import type { DocumentsWithin } from '../within.ts';
import { fileJson } from './json.ts';

export function fileHandlers({ files }: DocumentsWithin): HandlersOf<typeof fileContracts> {
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
