import type { SignIn } from '@millrace/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleFile } from './files.ts';

const BASE = '/console';

/**
 * The console below a name of its own, since `/jobs` is a route of the API (docs/decisions/0032-console.md). Whatever is no file is a page, which the
 * browser's router knows; `/` leads there. Without a built console `/` leads to the description of the API.
 */
export function serveConsole(
  app: FastifyInstance,
  files: ReadonlyMap<string, ConsoleFile> | null,
  signIn: SignIn,
): void {
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
      // The names of assets hold a hash of what is in them: they never change.
      const lasts = path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      return send(request, reply.header('cache-control', lasts), file);
    }
    // A page that was open during an upgrade asks for files of before: it must not be given a page instead.
    if (path.startsWith('assets/')) return reply.callNotFound();
    return send(
      request,
      reply.header('cache-control', 'no-cache').header('content-security-policy', policy),
      index,
    );
  });
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const taken = request.headers['accept-encoding'] ?? '';
  reply.type(file.type).header('vary', 'accept-encoding');
  if (file.br !== null && /\bbr\b/.test(taken))
    return reply.header('content-encoding', 'br').send(file.br);
  if (file.gz !== null && /\bgzip\b/.test(taken))
    return reply.header('content-encoding', 'gzip').send(file.gz);
  return reply.send(file.plain);
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
