import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOffice } from '../src/find.ts';
import { otherFormats } from '../src/processes/formats.ts';
import { makeProfile } from '../src/processes/profile.ts';
import { reachOf } from '../src/sandbox/reach.ts';
import { temporaryFolder } from './world.ts';

/** LibreOfficeKit behind some of the layers that close it off, and not behind the others: what is not named is left out. */
export interface Layers {
  readonly profile: 'ours' | 'plain';
  readonly network?: 'closed';
  readonly disk?: 'closed';
  readonly formats?: 'docx';
  readonly options?: 'reckless';
}

/** The input of `layer.mjs`. */
export interface Order extends Layers {
  readonly library: string;
  readonly folder: string;
  readonly names: readonly string[];
  readonly reach: Awaited<ReturnType<typeof reachOf>>;
}

export async function convertWith(
  layers: Layers,
  document: Buffer,
  name = 'in.docx',
): Promise<Buffer> {
  const [pdf] = await convertAll(layers, { [name]: document });
  if (pdf === undefined || pdf === null) throw new Error('There is no PDF.');
  return pdf;
}

/** Several documents by one process; null for one that LibreOffice refused. */
export async function convertAll(
  layers: Layers,
  documents: Readonly<Record<string, Buffer>>,
): Promise<(Buffer | null)[]> {
  const search = await findOffice();
  if ('missing' in search) throw new Error(search.missing);
  const { found } = search;
  const folder = temporaryFolder();
  const others = layers.formats === 'docx' ? await otherFormats(found) : [];
  await makeProfile(folder, found.version, others);
  for (const [name, document] of Object.entries(documents))
    writeFileSync(join(folder, name), document);
  const script = fileURLToPath(new URL('layer.mjs', import.meta.url));
  const reach = await reachOf({ office: found, script, fontFolders: [], cache: folder });
  const names = Object.keys(documents);
  const order: Order = { ...layers, library: found.library ?? '', folder, names, reach };
  const env = { ...process.env, SAL_USE_VCLPLUGIN: 'svp', HOME: folder, TMPDIR: folder };
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  return names.map((name) => {
    try {
      return readFileSync(join(folder, `${name}.pdf`));
    } catch {
      return null;
    }
  });
}
