import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { openApi } from '@millrace/api';
import { docsPage } from '../docs/page.ts';
import { type Call, type Handlers, ok } from '../http/handler.ts';

/** As it is, and compressed: anyone may ask, and one copy is for all who have not read theirs yet. */
interface KeptPage {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
}

/** Both are made when they are first asked for, and once: nothing in them changes while the process runs. */
export function descriptionHandlers({
  version,
}: {
  readonly version: string;
}): Handlers<'openapi' | 'docs'> {
  const description = once(async () => {
    const document = openApi({ version });
    const { html, csp } = docsPage(document);
    return { document: await kept(JSON.stringify(document)), page: await kept(html), csp };
  });
  return {
    async openapi({ headers }) {
      const { document } = await description();
      const { bytes, ...encoding } = encoded(document, headers);
      return {
        ...ok({}),
        bytes,
        headers: { 'content-type': 'application/json; charset=utf-8', ...encoding },
      };
    },
    async docs({ headers }) {
      const { page, csp } = await description();
      const { bytes, ...encoding } = encoded(page, headers);
      return { ...ok(''), bytes, headers: { 'content-security-policy': csp, ...encoding } };
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

async function kept(text: string): Promise<KeptPage> {
  const plain = Buffer.from(text);
  // 54 KB of 880; the highest quality takes many times as long for a tenth less.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6 };
  const [packed, br] = await Promise.all([
    promisify(gzip)(plain),
    promisify(brotliCompress)(plain, { params }),
  ]);
  return { plain, gzip: packed, br };
}

function encoded(
  page: KeptPage,
  headers: Call['headers'],
): { readonly bytes: Buffer; readonly vary: string; readonly 'content-encoding'?: string } {
  const taken = headers['accept-encoding'] ?? '';
  const vary = 'accept-encoding';
  if (/\bbr\b/.test(taken)) return { bytes: page.br, vary, 'content-encoding': 'br' };
  if (/\bgzip\b/.test(taken)) return { bytes: page.gzip, vary, 'content-encoding': 'gzip' };
  return { bytes: page.plain, vary };
}
