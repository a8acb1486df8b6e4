import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file that a build made for browsers: as it is, and compressed by the build where that is worth it. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gz: Buffer | null;
}

export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  woff2: 'font/woff2',
  wasm: 'application/wasm',
  png: 'image/png',
  // Samples for the first steps.
  csv: 'text/csv; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};

/**
 * The files of a folder by their path, or null where nothing was built there. They are read once, into memory: a request
 * then touches no path of the disk, so no request can name one that is not meant.
 */
export function readBuilt(folder: string): BuiltFiles | null {
  const all = new Map<string, Buffer>();
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      all.set(relative(folder, path).split(sep).join('/'), readFileSync(path));
    }
  } catch {
    return null;
  }
  if (!all.has('index.html')) return null;
  const files = new Map<string, BuiltFile>();
  for (const [path, plain] of all) {
    const type = TYPES[path.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    files.set(path, {
      type,
      plain,
      br: all.get(`${path}.br`) ?? null,
      gz: all.get(`${path}.gz`) ?? null,
    });
  }
  return files;
}

export function sendBuilt(
  request: FastifyRequest,
  reply: FastifyReply,
  file: BuiltFile,
): FastifyReply {
  const taken = request.headers['accept-encoding'] ?? '';
  reply.type(file.type).header('vary', 'accept-encoding');
  if (file.br !== null && /\bbr\b/.test(taken))
    return reply.header('content-encoding', 'br').send(file.br);
  if (file.gz !== null && /\bgzip\b/.test(taken))
    return reply.header('content-encoding', 'gzip').send(file.gz);
  return reply.send(file.plain);
}

/** The names of assets hold a hash of what is in them: they never change. */
export function lastsOf(path: string): string {
  return path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}
