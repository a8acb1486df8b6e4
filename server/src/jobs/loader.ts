import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { stop, transform } from 'esbuild';
import { VERSION } from './version-query.ts';

/**
 * Module hooks for job files, run by Node in its hooks thread. The files may lie anywhere (a folder that is
 * mounted into a container has no node_modules and no package.json), and Node 20 reads no TypeScript. All
 * versions of Node get the same treatment, so a file that loads on one loads on the others.
 */
let folder = '';

export const initialize: InitializeHook<{ folder: string }> = (data) => {
  ({ folder } = data);
};

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const found = versioned(await find(specifier, context, nextResolve), context.parentURL);
  // Without a package.json that says so, it would be taken for CommonJS.
  const isJavaScript = found.url.startsWith(folder) && isOwn(found.url, /\.js$/);
  return isJavaScript ? { ...found, format: 'module' } : found;
};

/** Resolves imports of a job file that its own folder does not provide. */
const find: ResolveHook = async (specifier, context, nextResolve) => {
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    if (!/^(@millrace\/|(millrace|zod)(\/|$))/.test(specifier)) throw error;
    return nextResolve(specifier, { ...context, parentURL: import.meta.url });
  }
};

/** Imports within the folder get the version of the importing job file. */
function versioned<Found extends { readonly url: string }>(found: Found, parent?: string): Found {
  if (parent === undefined || !found.url.startsWith(folder) || found.url.includes('?'))
    return found;
  const version = new URL(parent).searchParams.get(VERSION);
  return version === null ? found : { ...found, url: `${found.url}?${VERSION}=${version}` };
}

export const load: LoadHook = async (url, context, nextLoad) => {
  // JavaScript of the folder too: Node does not report the line of a syntax error.
  const isScript = url.startsWith(folder) && isOwn(url, /\.m?js$/);
  if (!isScript && !isOwn(url, /\.m?ts$/)) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code } = await transform(await readFile(path, 'utf8'), {
    loader: isScript ? 'js' : 'ts',
    format: 'esm',
    target: `node${process.versions.node}`,
    sourcefile: path,
    sourcemap: 'inline',
    logLevel: 'silent',
  });
  stopWhenIdle();
  return { format: 'module', source: code, shortCircuit: true };
};

let idle: NodeJS.Timeout | undefined;

/** esbuild works in a process of its own, which has nothing to do once the files are loaded. */
function stopWhenIdle(): void {
  clearTimeout(idle);
  idle = setTimeout(() => void stop(), 1_000).unref();
}

function isOwn(url: string, ending: RegExp): boolean {
  const [address = ''] = url.split('?');
  return url.startsWith('file:') && !url.includes('/node_modules/') && ending.test(address);
}
