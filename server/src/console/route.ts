import type { SignIn } from '@millrace/api';
import type { FastifyInstance } from 'fastify';
import { type BuiltFiles, lastsOf, sendBuilt } from '../http/built-files.ts';

const BASE = '/console';

/**
 * The console below a name of its own, since `/jobs` is a route of the API (docs/decisions/0032-console.md). Whatever is no file is a page, which the
 * browser's router knows; `/` leads there. Without a built console `/` leads to the documentation.
 */
export function serveConsole(app: FastifyInstance, files: BuiltFiles | null, signIn: SignIn): void {
  if (files === null) {
    app.get('/', (_, reply) => reply.redirect('/docs'));
    return;
  }
  const index = files.get('index.html');
  if (index === undefined) throw new Error('a console without its page');
  const policy = policyFor(signIn);
  app.get('/', (_, reply) => reply.redirect(`${BASE}/`));
  app.get(BASE, (_, reply) => reply.redirect(`${BASE}/`));
  app.get<{ Params: { '*': string } }>(`${BASE}/*`, (request, reply) => {
    const path = request.params['*'];
    const file = files.get(path);
    if (file !== undefined && path !== 'index.html') {
      return sendBuilt(request, reply.header('cache-control', lastsOf(path)), file);
    }
    // A page that was open during an upgrade asks for files of before: it must not be given a page instead.
    if (path.startsWith('assets/')) return reply.callNotFound();
    return sendBuilt(
      request,
      reply.header('cache-control', 'no-cache').header('content-security-policy', policy),
      index,
    );
  });
}

/** Scripts and styles of our own alone; calls to this server, and to the issuer for tokens. */
function policyFor({ issuer }: SignIn): string {
  const tokens = issuer !== null && URL.canParse(issuer) ? ` ${new URL(issuer).origin}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self'${tokens}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
