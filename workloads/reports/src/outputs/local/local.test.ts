import { execFileSync } from 'node:child_process';
import {
  appendFile,
  mkdir,
  open,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type LocalPlaceToTest,
  chunkOf,
  openLocalPlace,
  readAll,
  sha256,
  thrownBy,
} from '../../../test/places.ts';
import { createWriters } from '../../../test/writers.ts';
import { LostOutput } from '../errors.ts';
import { createOutputs } from '../outputs.ts';
import { SWEEP_AGE_MS } from '../types.ts';

let place: LocalPlaceToTest;
beforeEach(async () => {
  place = await openLocalPlace();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await place.close();
});

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

/** A file of two chunks, of which the first is saved. */
async function begun() {
  const output = await place.open({ epoch: 1 });
  await output.write(chunkOf(1, 1_000));
  const at = await output.sync();
  await output.write(chunkOf(2, 1_000));
  await output.abandon();
  if (at.kind !== 'local') throw new Error('not local');
  return { at, path: join(place.folder, at.name) };
}

describe('the folder', () => {
  test('and its files are this account’s alone', async () => {
    const { at, path } = await begun();
    const next = await place.open({ epoch: 2, at });
    await next.finish();
    const [own = ''] = (await place.names()).filter((name) => name !== at.name);
    expect(await modeOf(place.folder)).toBe(0o700);
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(join(place.folder, own))).toBe(0o600);
  });

  test('is made where it is missing, also in the middle of a run', async () => {
    const { at } = await begun();
    await rm(place.folder, { recursive: true });
    const error = await thrownBy(place.open({ epoch: 2, at }));
    expect(error).toBeInstanceOf(LostOutput);
    expect(String(error)).toContain(`is not in ${place.folder}`);
    const output = await place.open({ epoch: 2 });
    await output.write(Buffer.from('x'));
    await output.finish();
    expect(await place.names()).toHaveLength(1);
  });

  test('that is a file, or in one: a sentence that names it', async () => {
    await writeFile(place.folder, '');
    for (const folder of [place.folder, join(place.folder, 'below')]) {
      const outputs = createOutputs({ folder, s3: null });
      const { signal } = new AbortController();
      for (const fails of [
        () => outputs.check(),
        () => outputs.open({ job: 'pg-1', epoch: 1, at: null, signal }),
      ]) {
        const error = await thrownBy(fails());
        expect(error).toMatchObject({ name: 'JobFailure', retryable: true });
        expect(String(error)).toContain(folder);
      }
    }
  });

  test('that is gone while a file is written: what is in it is lost, and said', async () => {
    const output = await place.open({ epoch: 1 });
    await output.write(chunkOf(1, 1_000));
    await rm(place.folder, { recursive: true });
    expect(await thrownBy(output.sync())).toMatchObject({ code: 'output_taken', retryable: true });
    await output.abandon();
  });
});

describe('a file of the cursor', () => {
  test('that was cut is lost', async () => {
    const { at, path } = await begun();
    await truncate(path, 999);
    const error = await thrownBy(place.open({ epoch: 2, at }));
    expect(error).toBeInstanceOf(LostOutput);
    expect(String(error)).toMatch(/has 999 bytes and had 1000/);
    expect(await place.names()).toEqual([at.name]);
  });

  test('in which a byte changed is lost', async () => {
    const { at, path } = await begun();
    const handle = await open(path, 'r+');
    await handle.write('!', 500);
    await handle.close();
    const error = await thrownBy(place.open({ epoch: 2, at }));
    expect(error).toBeInstanceOf(LostOutput);
    expect(String(error)).toMatch(/is not what was written/);
  });

  test('may have grown: what is behind the place is not copied', async () => {
    const { at, path } = await begun();
    await appendFile(path, 'of an execution that lost its lease');
    const output = await place.open({ epoch: 2, at });
    await output.write(Buffer.from('end'));
    const { file, sha256: hash } = await output.finish();
    const wanted = Buffer.concat([chunkOf(1, 1_000), Buffer.from('end')]);
    expect((await readAll(place.outputs, file)).equals(wanted)).toBe(true);
    expect(hash).toBe(sha256(wanted));
  });

  test('with a name that leads elsewhere is not opened', async () => {
    const { at } = await begun();
    const name = '../../etc/passwd';
    await expect(place.open({ epoch: 2, at: { ...at, name } })).rejects.toThrow(/no name/);
    await expect(readAll(place.outputs, { kind: 'local', name, bytes: 1 })).rejects.toThrow(
      /no name/,
    );
  });
});

describe('readers', () => {
  async function finished(size: number) {
    const output = await place.open({ epoch: 1 });
    await output.write(chunkOf(1, size));
    return output.finish();
  }

  test('with ranges go on while the file is removed, and none begins after', async () => {
    const size = 3_000_000;
    const { file } = await finished(size);
    const ranges = [
      { from: 0, to: size },
      { from: 1_000_000, to: 2_500_000 },
      { from: 2_999_999, to: size },
    ];
    const readers = ranges.map((range) => place.outputs.read(file, range)[Symbol.asyncIterator]());
    const heads = await Promise.all(readers.map((reader) => reader.next()));
    await place.outputs.remove(file);
    expect(await thrownBy(readAll(place.outputs, file))).toMatchObject({ code: 'file_gone' });
    for (const [index, reader] of readers.entries()) {
      const chunks = [heads[index]?.value ?? new Uint8Array()];
      for (let next = await reader.next(); next.done !== true; next = await reader.next())
        chunks.push(next.value);
      const { from, to } = ranges[index] ?? { from: 0, to: 0 };
      expect(Buffer.concat(chunks).equals(chunkOf(1, size).subarray(from, to))).toBe(true);
    }
  });

  test('of a file that was cut, or has grown, get an error before the first byte', async () => {
    const { file } = await finished(1_000);
    const path = join(place.folder, 'name' in file ? file.name : '');
    for (const size of [999, 1_001]) {
      await truncate(path, size);
      const error = await thrownBy(readAll(place.outputs, file, { from: 0, to: 10 }));
      expect(error).toMatchObject({ code: 'file_damaged' });
      expect(String(error)).toContain(`has ${size} bytes and had 1000`);
    }
  });

  test('do not follow a link', async () => {
    const { file } = await finished(4);
    const name = 'pg-9.1.00000000';
    await symlink(join(place.folder, 'name' in file ? file.name : ''), join(place.folder, name));
    expect(await thrownBy(readAll(place.outputs, { kind: 'local', name, bytes: 4 }))).toMatchObject(
      { code: 'storage_unavailable' },
    );
  });
});

describe('the sweep', () => {
  test('touches only files that have a name of ours', async () => {
    const old = new Date(Date.now() - 2 * SWEEP_AGE_MS);
    await mkdir(place.folder);
    for (const name of ['notes.txt', 'pg-1.1.0123abcd', 'pg-1.2.0123abcd', '.hidden']) {
      await writeFile(join(place.folder, name), 'x');
      await utimes(join(place.folder, name), old, old);
    }
    await mkdir(join(place.folder, 'pg-1.3.0123abcd'));
    await symlink('/etc/passwd', join(place.folder, 'pg-1.4.0123abcd'));
    const wanted = async () => new Set(['pg-1.2.0123abcd']);
    expect(await place.outputs.sweep({ wanted, now: Date.now() })).toEqual({
      files: 1,
      uploads: 0,
    });
    expect(await place.names()).toEqual([
      '.hidden',
      'notes.txt',
      'pg-1.2.0123abcd',
      'pg-1.3.0123abcd',
      'pg-1.4.0123abcd',
    ]);
  });

  test('asks in batches, and stops when it is called off', async () => {
    const old = new Date(Date.now() - 2 * SWEEP_AGE_MS);
    await mkdir(place.folder);
    for (let i = 0; i < 501; i++) {
      const path = join(place.folder, `pg-${i}.1.0123abcd`);
      await writeFile(path, '');
      await utimes(path, old, old);
    }
    const sizes: number[] = [];
    const wanted = async (files: readonly unknown[]) => {
      sizes.push(files.length);
      return new Set<string>();
    };
    const controller = new AbortController();
    controller.abort(new Error('stop'));
    const { signal } = controller;
    await expect(place.outputs.sweep({ wanted, now: Date.now(), signal })).rejects.toThrow('stop');
    expect(await place.outputs.sweep({ wanted, now: Date.now() })).toMatchObject({ files: 501 });
    expect(sizes).toEqual([500, 1]);
  });
});

describe('a disk', () => {
  /** A namespace of its own, in which anybody may mount. */
  const canMount = (() => {
    try {
      execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], {
        stdio: 'ignore',
      });
      return true;
    } catch {
      return false;
    }
  })();

  test.skipIf(!canMount)(
    'that is really full: a sentence that names it, and nothing is left of a file that no cursor names',
    async () => {
      await mkdir(place.folder);
      const writers = createWriters({
        scratch: join(place.folder, '..'),
        chunks: [1, 2, 3, 4],
        chunkBytes: 700_000,
        to: { folder: place.folder },
        // The listing comes after the writer, from within the namespace.
        wrap: [
          'unshare',
          '-rm',
          'sh',
          '-c',
          `mount -t tmpfs -o size=1m tmpfs ${place.folder} && "$@"; ls ${place.folder} | sed 's/^/left: /'; exit 3`,
          'sh',
        ],
      });
      const { said } = await writers.run();
      expect(said).toContain(`There is no room left in ${place.folder} (ENOSPC). Make room there`);
      expect(said).toContain('output_full');
      // The first chunk was saved, so its file stays for the next try.
      expect(said.match(/left: pg-7\.1\./g)).toHaveLength(1);
    },
  );

  /** What the system would say, from within the file's own methods. */
  async function failing(method: 'write' | 'datasync' | 'stat', code: string) {
    const probe = await open(process.execPath);
    const prototype = Object.getPrototypeOf(probe) as Record<typeof method, () => Promise<never>>;
    await probe.close();
    const error = Object.assign(new Error(code), { code, errno: -1, syscall: method });
    vi.spyOn(prototype, method).mockRejectedValueOnce(error);
  }

  test.each([
    ['write', 'ENOSPC', 'output_full'],
    ['write', 'EDQUOT', 'output_full'],
    ['write', 'EIO', 'output_failed'],
    ['datasync', 'EIO', 'output_failed'],
    ['datasync', 'ENOSPC', 'output_full'],
    ['write', 'EROFS', 'output_not_writable'],
  ] as const)('whose %s says %s', async (method, code, wanted) => {
    const output = await place.open({ epoch: 1 });
    await failing(method, code);
    const error = await thrownBy(
      (async () => {
        await output.write(chunkOf(1, 1_000));
        await output.sync();
      })(),
    );
    expect(error).toMatchObject({ name: 'JobFailure', code: wanted, retryable: true });
    expect(String(error)).toContain(place.folder);
    expect(String(error)).toContain(`(${code})`);
    // A disk that failed once and then says that all is well has lost what it was given before.
    await expect(output.sync()).rejects.toThrow(/has ended/);
    await expect(output.finish()).rejects.toThrow(/has ended/);
    await output.abandon();
    expect(await readdir(place.folder)).toEqual([]);
  });

  test('that fails after a chunk was saved keeps it', async () => {
    const output = await place.open({ epoch: 1 });
    await output.write(chunkOf(1, 1_000));
    const at = await output.sync();
    await failing('write', 'ENOSPC');
    await thrownBy(output.write(chunkOf(2, 1_000)));
    await output.abandon();
    const next = await place.open({ epoch: 2, at });
    await next.write(chunkOf(2, 1_000));
    const { file } = await next.finish();
    const wanted = Buffer.concat([chunkOf(1, 1_000), chunkOf(2, 1_000)]);
    expect((await readAll(place.outputs, file)).equals(wanted)).toBe(true);
  });

  test('without the right to write', async () => {
    await mkdir(place.folder, { mode: 0o500 });
    const writers = createWriters({
      scratch: join(place.folder, '..'),
      chunks: [1],
      chunkBytes: 1_000,
      to: { folder: place.folder },
      // Root may write anywhere, unless it gives this right up.
      wrap:
        process.getuid?.() === 0
          ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override']
          : [],
    });
    const { said } = await writers.run();
    expect(said).toContain(`Nothing can be written to ${place.folder} (EACCES)`);
    expect(said).toContain('output_not_writable');
  });

  test.skipIf(!canMount)('that is read-only', async () => {
    await mkdir(place.folder);
    const writers = createWriters({
      scratch: join(place.folder, '..'),
      chunks: [1],
      chunkBytes: 1_000,
      to: { folder: place.folder },
      wrap: [
        'unshare',
        '-rm',
        'sh',
        '-c',
        `mount -t tmpfs -o ro tmpfs ${place.folder} && exec "$@"`,
        'sh',
      ],
    });
    const { said } = await writers.run();
    expect(said).toContain(`Nothing can be written to ${place.folder} (EROFS)`);
    expect(said).toContain('output_not_writable');
  });
});
