import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type BuiltFiles, lastsOf, readBuilt, sendBuilt } from '../http/built-files.ts';

const BASE = '/docs';
/** The page of the API, from its contract: it is there without a built site too. */
const REFERENCE = `${BASE}/reference`;

/** Scripts and styles of the site alone. Its search runs in the browser; icons are `data:` images of its style. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The documentation as `npm run docs` built it, below `/docs/` (docs/decisions/0038-documentation-site.md). It is read when it is first asked for, and kept: a start
 * does not wait for it. Where it was not built, `/docs` leads to the page of the API.
 */
export function serveSite(app: FastifyInstance, read: () => BuiltFiles | null = readSite): void {
  let kept: BuiltFiles | null = null;
  const site = () => (kept ??= read());

  app.get(BASE, (_, reply) => reply.redirect(site() === null ? REFERENCE : `${BASE}/`));
  app.get<{ Params: { '*': string } }>(`${BASE}/*`, (request, reply) => {
    const files = site();
    const path = request.params['*'];
    if (files === null) return path === '' ? reply.redirect(REFERENCE) : reply.callNotFound();
    if (files.has(`${path}/index.html`)) return reply.redirect(`${BASE}/${path}/`);
    const name = nameOf(path);
    const file = files.get(name) ?? files.get(`${name}.html`);
    if (file !== undefined) {
      reply.header('cache-control', lastsOf(path)).header('content-security-policy', POLICY);
      return sendBuilt(request, reply, file);
    }
    const missing = files.get('404.html');
    // A script of an older build that is missing must not be answered with a page.
    if (missing === undefined || path.startsWith('assets/')) return reply.callNotFound();
    reply.status(404).header('cache-control', 'no-cache').header('content-security-policy', POLICY);
    return sendBuilt(request, reply, missing);
  });
}

/** Pages have no ending in their address: `first-job` is first-job.html, and a folder has an index. */
function nameOf(path: string): string {
  return path === '' || path.endsWith('/') ? `${path}index.html` : path;
}

/** An installed server has a copy in its own folder (scripts/packages/stage.mjs); in the repository `npm run docs` leaves it there. */
const FOLDERS = ['../../docs/site/dist', '../../../docs/site/dist'];

function readSite(): BuiltFiles | null {
  for (const folder of FOLDERS) {
    const files = readBuilt(join(import.meta.dirname, folder));
    if (files !== null) return files;
  }
  return null;
}
