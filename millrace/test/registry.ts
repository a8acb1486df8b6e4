import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What npm asks a registry for: which versions there are, and their tarballs. */
export interface Registry {
  readonly url: string;
  close(): Promise<void>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * A registry on loopback that has the tarballs of a folder and nothing else. npm is sent here for the scope @millrace, so that a
 * package which is not declared by whoever needs it is not there either, as for people.
 */
export async function serveTarballs(folder: string): Promise<Registry> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const tarballs = await Promise.all(names.map((name) => readTarball(folder, name)));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const file = tarballs.find(({ name }) => path === `-/${name}`);
    if (file !== undefined) return void response.end(file.bytes);
    const found = tarballs.find(({ manifest }) => manifest.name === path);
    if (found === undefined) return void response.writeHead(404).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(documentOf(found, addressOf(server))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: addressOf(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Tarball {
  readonly name: string;
  readonly bytes: Buffer;
  readonly manifest: Manifest;
}

async function readTarball(folder: string, name: string): Promise<Tarball> {
  const { stdout } = await run('tar', ['-xzOf', join(folder, name), 'package/package.json']);
  const bytes = await readFile(join(folder, name));
  return { name, bytes, manifest: JSON.parse(stdout) as Manifest };
}

function documentOf({ name, bytes, manifest }: Tarball, url: string): object {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  return {
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: {
      [manifest.version]: { ...manifest, dist: { tarball: `${url}-/${name}`, integrity } },
    },
  };
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
