import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { ApiError, contracts, problemOf } from '@millrace/api';
import type { File } from '@millrace/documents/contract';
import { FORMATS } from '@millrace/queries/contract';
import { z } from 'zod';
import { ToolRefusal } from '../refusal.ts';
import { quoted } from '../text.ts';
import { type Call, type Link, answer, defineTool } from '../tool.ts';

/** Something that is too large for an answer: its address in the API, and its bytes. */
interface Source {
  readonly path: string;
  readonly mediaType: string;
  open(call: Call): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>;
}

interface Asked {
  readonly id: string;
  readonly format: (typeof FORMATS)[number];
}

const SOURCES = {
  document: ({ id }: Asked) => ({
    path: `/files/${encodeURIComponent(id)}/content`,
    mediaType: 'application/octet-stream',
    open: ({ client, options }) => whole(client.downloadFile({ params: { id } }, options)),
  }),
  query: ({ id, format }: Asked) => ({
    path: `/runs/${encodeURIComponent(id)}/results.${format}`,
    mediaType: 'application/octet-stream',
    open: ({ client, options }) =>
      bytes(client.downloadRunResults({ params: { id, format } }, options)),
  }),
  report: ({ id }: Asked) => ({
    path: `/reports/runs/${encodeURIComponent(id)}/file`,
    mediaType: 'application/octet-stream',
    open: ({ client, options }) => whole(client.downloadReportFile({ params: { id } }, options)),
  }),
  batch: ({ id }: Asked) => ({
    path: `/documents/batches/${encodeURIComponent(id)}/archive`,
    mediaType: 'application/zip',
    open: ({ client, options }) => bytes(client.downloadBatch({ params: { id } }, options)),
  }),
  job: ({ id }: Asked) => ({
    path: `/jobs/${encodeURIComponent(id)}`,
    mediaType: 'application/json',
    async open({ client, options }) {
      const job = await client.getJob({ params: { id } }, options);
      return [Buffer.from(`${JSON.stringify(job, null, 2)}\n`)];
    },
  }),
} as const satisfies Record<string, (asked: Asked) => Source>;

const TYPES = [
  'document',
  'query',
  'report',
  'batch',
  'job',
] as const satisfies readonly (keyof typeof SOURCES)[];

export const download = defineTool({
  name: 'download',
  title: 'Download a file',
  about:
    'Saves a document, all rows of a query, the file of a report, a ZIP of a batch, or a whole job as JSON, and answers with the path. Without saveAs, or over HTTP: its address in the API.',
  routes: ['downloadFile', 'downloadRunResults', 'downloadReportFile', 'downloadBatch', 'getJob'],
  // On the server nothing changes; on this machine a file is made.
  effect: 'adds',
  input: z.strictObject({
    type: z.enum(TYPES),
    id: contracts.getFile.params.shape.id.describe(
      'Of the file, run, batch or job: "file-12", "run-7".',
    ),
    format: z.enum(FORMATS).default('csv').describe('Of the rows of a query.'),
    saveAs: z
      .string()
      .min(1)
      .max(500)
      .regex(/^[^\p{Cc}]+$/u, { error: 'Control characters are not allowed.' })
      .optional()
      .describe('A new file inside the folder that the tools may write to.'),
  }),
  async run(call, { type, id, format, saveAs }) {
    const source: Source = SOURCES[type]({ id, format });
    if (saveAs === undefined) return linked(call, id, source);
    if (call.folder === null)
      throw new ToolRefusal(
        'file_refused',
        'Over HTTP, files are not saved here. Leave out saveAs, and download the returned address with your token.',
      );
    const place = await call.folder.open(saveAs);
    const size = await place.write(await source.open(call));
    return answer(
      [`Saved: ${quoted(place.path, 1_000)}, ${size} bytes.`],
      { path: place.path, bytes: size },
      {
        links: [
          {
            uri: pathToFileURL(place.path).href,
            name: saveAs,
            mimeType: source.mediaType,
            description: 'On this machine.',
          },
        ],
      },
    );
  },
});

function linked({ url }: Call, name: string, { path, mediaType }: Source) {
  const uri = `${url}${path}`;
  const link = { uri, name, mimeType: mediaType, description: WITH_TOKEN };
  return answer([`Download it from ${uri} with your token.`], { url: uri }, { links: [link] });
}

const WITH_TOKEN = 'In the API; a request needs your token.';

export function documentLink({ url: server }: Call, { name, mediaType, url }: File): Link {
  return { uri: `${server}${url}`, name, mimeType: mediaType, description: WITH_TOKEN };
}

async function bytes(answered: Promise<Response>): Promise<AsyncIterable<Uint8Array>> {
  return ((await answered).body ?? []) as AsyncIterable<Uint8Array>;
}

/** The bytes of a file whose etag is its SHA-256; throws at the end if the hash differs. */
async function whole(answered: Promise<Response>): Promise<AsyncIterable<Uint8Array>> {
  const { headers } = await answered;
  return checked(await bytes(answered), headers.get('etag'));
}

async function* checked(chunks: AsyncIterable<Uint8Array>, etag: string | null) {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  if (etag === null || etag === `"${hash.digest('hex')}"`) return;
  const detail = 'The download is not the file: its SHA-256 differs. It was discarded.';
  throw new ApiError(problemOf('unexpected_answer', detail, ''));
}
