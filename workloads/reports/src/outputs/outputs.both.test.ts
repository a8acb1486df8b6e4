import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  JOB,
  type Place,
  chunkOf,
  closeSharedDatabase,
  closeSharedServer,
  openDatabasePlace,
  openLocalPlace,
  openS3Place,
  readAll,
  sha256,
  thrownBy,
} from '../../test/places.ts';
import { FileError, LostOutput } from './errors.ts';
import { nameOf } from './names.ts';
import { MOST_PARTS } from './parts.ts';
import {
  type FilePlace,
  type FinishedOutput,
  type LocalPlace,
  type Output,
  type OutputPlace,
  SWEEP_AGE_MS,
  filePlaceSchema,
  outputPlaceSchema,
} from './types.ts';
import { isLong } from '../../../../scripts/need.mjs';

afterAll(closeSharedServer);
afterAll(closeSharedDatabase);

/** What holds for all of them: the database in the long suite, the others in the fast one. */
const PLACES = [
  ['a folder', openLocalPlace],
  ['the database', openDatabasePlace],
  ['S3', openS3Place],
] as const;

describe.each(PLACES.filter(([name]) => (name === 'the database') === isLong))(
  '%s',
  (where, openPlace) => {
    /** Whoever goes on copies what is there. */
    const isCopied = where === 'S3';
    let place: Place;
    beforeEach(async () => {
      place = await openPlace();
    });
    afterEach(() => place.close());

    const chunk = (number: number): Buffer => chunkOf(number, place.chunkBytes + number);
    const bytesOf = (...numbers: number[]): Buffer => Buffer.concat(numbers.map(chunk));
    /** As a cursor is kept. */
    const saved = (at: OutputPlace): OutputPlace =>
      outputPlaceSchema.parse(JSON.parse(JSON.stringify(at)));

    async function writeAll(output: Output, ...numbers: number[]): Promise<OutputPlace[]> {
      const places: OutputPlace[] = [];
      for (const number of numbers) {
        await output.write(chunk(number));
        places.push(saved(await output.sync()));
      }
      return places;
    }

    async function expectFile(finished: FinishedOutput, wanted: Buffer): Promise<void> {
      expect([finished.bytes, finished.file.bytes]).toEqual([wanted.length, wanted.length]);
      const found = await readAll(place.outputs, filePlaceSchema.parse(finished.file));
      expect(found.equals(wanted)).toBe(true);
      expect(finished.sha256).toBe(sha256(wanted));
    }

    test('a file is written in chunks, and read as a whole and in ranges', async () => {
      const output = await place.open({ epoch: 1 });
      const [first, second] = await writeAll(output, 1, 2);
      await output.write(Buffer.from('the rest'));
      const finished = await output.finish();
      const wanted = Buffer.concat([bytesOf(1, 2), Buffer.from('the rest')]);
      await expectFile(finished, wanted);
      expect(first).toMatchObject({ bytes: chunk(1).length, sha256: sha256(chunk(1)) });
      expect(second).toMatchObject({ bytes: bytesOf(1, 2).length, sha256: sha256(bytesOf(1, 2)) });
      expect(JSON.stringify(second).length).toBeLessThan(600);

      const edge = chunk(1).length;
      for (const range of [
        { from: 0, to: 1 },
        { from: edge - 3, to: edge + 3 },
        { from: wanted.length - 1, to: wanted.length },
        { from: 5, to: 5 },
      ]) {
        const found = await readAll(place.outputs, finished.file, range);
        expect(found.equals(wanted.subarray(range.from, range.to))).toBe(true);
      }
    });

    test('a file may be small, or empty', async () => {
      for (const text of ['', 'a,b\n']) {
        const output = await place.open({ epoch: 1 });
        if (text !== '') await output.write(Buffer.from(text));
        await expectFile(await output.finish(), Buffer.from(text));
      }
    });

    test('names hold the job and the epoch, and no two executions share one', async () => {
      const outputs = await Promise.all([place.open({ epoch: 4 }), place.open({ epoch: 4 })]);
      for (const output of outputs) await output.write(Buffer.from('x'));
      for (const output of outputs) await output.finish();
      const names = (await place.names()).map(nameOf);
      expect(names).toMatchObject([
        { job: JOB, epoch: 4 },
        { job: JOB, epoch: 4 },
      ]);
      await expect(place.open({ epoch: 1, job: '../pg-1' })).rejects.toThrow(
        /No file can be named/,
      );
    });

    test('an execution goes on from any chunk of another, to the same bytes', async () => {
      for (const done of [1, 2, 3]) {
        const first = await place.open({ epoch: 1 });
        const at = (await writeAll(first, ...[1, 2, 3].slice(0, done))).at(-1) ?? null;
        if (done < 3) await first.write(chunk(7));
        await first.abandon();
        const output = await place.open({ epoch: 2, at });
        for (const number of [1, 2, 3].slice(done)) await output.write(chunk(number));
        await output.write(Buffer.from('end'));
        const wanted = Buffer.concat([bytesOf(1, 2, 3), Buffer.from('end')]);
        await expectFile(await output.finish(), wanted);
      }
    });

    test('and another from that one, and from one that had finished', async () => {
      const first = await place.open({ epoch: 1 });
      const [at1] = await writeAll(first, 1);
      await first.abandon();
      const second = await place.open({ epoch: 2, at: at1 ?? null });
      const [at2] = await writeAll(second, 2);
      await second.write(Buffer.from('lost with the process'));
      await second.finish();
      const third = await place.open({ epoch: 3, at: at2 ?? null });
      await third.write(chunk(3));
      const finished = await third.finish();
      await expectFile(finished, bytesOf(1, 2, 3));
    });

    test.runIf(!isCopied)(
      'what others have written stays where it is, until there is too much of it',
      async () => {
        const numbers = Array.from({ length: MOST_PARTS + 3 }, (_, at) => at + 1);
        const small = (number: number): Buffer => chunkOf(number, 1_000 + number);
        const whole = Buffer.concat(numbers.map(small));
        let written = 0;
        let at: OutputPlace | null = null;
        for (const number of numbers) {
          const output: Output = await place.open({ epoch: number, at });
          await output.write(small(number));
          at = saved(await output.sync());
          written += 1_000 + number;
          expect(at.bytes).toBe(written);
          await output.abandon();
        }
        expect((at as LocalPlace | null)?.before).toHaveLength(1);
        const last = await place.open({ epoch: 99, at });
        const finished = await last.finish();
        await expectFile(finished, whole);
        for (const [from, to] of [
          [0, 1],
          [500, 1_000],
          [whole.length - 1_030, whole.length - 3],
          [whole.length, whole.length],
        ] as const) {
          const found = await readAll(place.outputs, finished.file, { from, to });
          expect(found.equals(whole.subarray(from, to))).toBe(true);
        }
        await place.outputs.remove(finished.file);
        const names = (await place.names()).map((name) => nameOf(name)?.epoch);
        expect(names).toHaveLength(numbers.length - 2);
      },
    );

    test.runIf(!isCopied)(
      'a file is gone with any of its parts, and damaged with any',
      async () => {
        const first = await place.open({ epoch: 1 });
        const [at] = await writeAll(first, 1);
        const { file: part } = await first.finish();
        const second = await place.open({ epoch: 2, at: at ?? null });
        await second.write(chunk(2));
        const { file } = await second.finish();
        const longer = {
          ...file,
          bytes: file.bytes + 1,
          before: [{ name: (part as LocalPlace).name, bytes: part.bytes + 1 }],
        };
        expect(await thrownBy(readAll(place.outputs, longer as FilePlace))).toMatchObject({
          code: 'file_damaged',
        });
        await place.outputs.remove(part);
        expect(
          await thrownBy(readAll(place.outputs, file, { from: part.bytes, to: file.bytes })),
        ).toMatchObject({ code: 'file_gone' });
      },
    );

    test.runIf(isCopied)(
      'what was copied is removed once a cursor names the copy, and not before',
      async () => {
        const first = await place.open({ epoch: 1 });
        const [at] = await writeAll(first, 1);
        await first.abandon();
        const second = await place.open({ epoch: 2, at: at ?? null });
        const epochs = async (): Promise<unknown[]> =>
          (await place.names()).map((name) => nameOf(name)?.epoch);
        await writeAll(second, 2);
        expect(await epochs()).toContain(1);
        await writeAll(second, 3);
        expect(await epochs()).not.toContain(1);
        await second.finish();
        expect(await epochs()).toEqual([2]);
      },
    );

    test('an execution that lost its lease and goes on harms no other', async () => {
      const zombie = await place.open({ epoch: 1 });
      const [at] = await writeAll(zombie, 1);
      await zombie.write(chunk(8));

      const successor = await place.open({ epoch: 2, at: at ?? null });
      // It may still have a chunk on its way.
      await zombie.sync().catch(() => {});
      await writeAll(successor, 2);
      const finished = await (async () => {
        await successor.write(chunk(3));
        return successor.finish();
      })();
      const late = await thrownBy(
        (async () => {
          await zombie.write(chunk(9));
          const { file } = await zombie.finish();
          throw new Error(`Finished ${JSON.stringify(file)}`);
        })(),
      );
      expect(String(late)).not.toContain(JSON.stringify(finished.file));
      await zombie.abandon();
      await expectFile(finished, bytesOf(1, 2, 3));
    });

    test('one that finished in the meantime is no obstacle', async () => {
      const zombie = await place.open({ epoch: 1 });
      const [at] = await writeAll(zombie, 1);
      await zombie.write(chunk(8));
      await zombie.finish();
      const successor = await place.open({ epoch: 2, at: at ?? null });
      await successor.write(chunk(2));
      await expectFile(await successor.finish(), bytesOf(1, 2));
    });

    test('a file that is gone, shorter or another is lost: the run begins again', async () => {
      const first = await place.open({ epoch: 1 });
      const [at] = await writeAll(first, 1);
      if (at === undefined) throw new Error('no place');
      const { sha256: hash } = at;
      const tampered = { ...at, sha256: hash.replace(/^./, hash.startsWith('0') ? '1' : '0') };
      expect(await thrownBy(place.open({ epoch: 2, at: tampered }))).toBeInstanceOf(LostOutput);
      const { file } = await first.finish();
      const longer = { ...at, bytes: at.bytes + 1 };
      expect(await thrownBy(place.open({ epoch: 3, at: longer }))).toBeInstanceOf(LostOutput);
      await place.outputs.remove(file);
      expect(await thrownBy(place.open({ epoch: 4, at }))).toBeInstanceOf(LostOutput);
      // Nothing is left behind by executions that could not begin.
      expect([await place.names(), await place.uploads()]).toEqual([[], []]);
    });

    test('a file that was removed is gone, and may be removed again', async () => {
      const output = await place.open({ epoch: 1 });
      await output.write(Buffer.from('abc'));
      const { file } = await output.finish();
      await place.outputs.remove(file);
      await place.outputs.remove(file);
      const error = await thrownBy(readAll(place.outputs, file));
      expect(error).toBeInstanceOf(FileError);
      expect(error).toMatchObject({ code: 'file_gone' });
    });

    test('a run that is called off stops before its next step', async () => {
      const controller = new AbortController();
      const output = await place.open({ epoch: 1, signal: controller.signal });
      await output.write(chunk(1));
      const reason = new Error('The lease is over.');
      controller.abort(reason);
      expect(await thrownBy(output.sync())).toBe(reason);
      expect(await thrownBy(output.write(chunk(2)))).toBe(reason);
      expect(await thrownBy(output.finish())).toBe(reason);
      await output.abandon();
      await output.abandon();
      expect(await place.names()).toEqual([]);
    });

    test('what has ended takes nothing more', async () => {
      const output = await place.open({ epoch: 1 });
      await output.finish();
      await output.abandon();
      await expect(output.write(Buffer.from('x'))).rejects.toThrow(/has ended/);
      await expect(output.sync()).rejects.toThrow(/has ended/);
    });

    test('the sweep removes what nobody wants, when it is old enough', async () => {
      const kept = await place.open({ epoch: 1 });
      await kept.write(Buffer.from('kept'));
      const { file } = await kept.finish();
      const live = await place.open({ epoch: 5, job: 'pg-8' });
      await live.write(chunkOf(1, place.chunkBytes));
      await live.sync();
      const stray = await place.open({ epoch: 2 });
      await stray.write(Buffer.from('stray'));
      await stray.finish();
      const left = await place.open({ epoch: 3 });
      await left.write(chunkOf(1, place.chunkBytes));
      await left.sync();

      const keptName = 'name' in file ? file.name : (file.key.split('/').at(-1) ?? '');
      const asked: string[] = [];
      const wanted = async (files: readonly { name: string; job: string; epoch: number }[]) => {
        asked.push(...files.map(({ job, epoch }) => `${job}.${epoch}`));
        return new Set(
          files
            .filter(({ job, name }) => job === 'pg-8' || name === keptName)
            .map(({ name }) => name),
        );
      };
      const now = Date.now();
      expect(await place.outputs.sweep({ wanted, now })).toEqual({ files: 0, uploads: 0 });
      expect(asked).toEqual([]);

      const later = now + SWEEP_AGE_MS + 60_000;
      const swept = await place.outputs.sweep({ wanted, now: later });
      expect(swept.files + swept.uploads).toBe(2);
      expect(asked.toSorted()).toEqual(['pg-7.1', 'pg-7.2', 'pg-7.3', 'pg-8.5']);
      expect(await place.outputs.sweep({ wanted, now: later })).toEqual({ files: 0, uploads: 0 });
      expect(String(await readAll(place.outputs, file))).toBe('kept');
      await live.write(Buffer.from('goes on'));
      await live.finish();
      // Its file was removed under it, as it may be after its job has ended.
      const error = await thrownBy(
        (async () => {
          await left.write(chunkOf(2, place.chunkBytes));
          await left.sync();
        })(),
      );
      expect(error).toMatchObject({ name: 'JobFailure', code: 'output_taken', retryable: true });
      await left.abandon();
    });

    test('sweeps of several replicas meet without harm', async () => {
      for (let epoch = 1; epoch <= 4; epoch++) {
        const output = await place.open({ epoch });
        await output.write(Buffer.from('x'));
        await output.finish();
      }
      const now = Date.now() + SWEEP_AGE_MS + 60_000;
      const wanted = async () => new Set<string>();
      await Promise.all([1, 2, 3].map(() => place.outputs.sweep({ wanted, now })));
      expect(await place.names()).toEqual([]);
    });

    test('can be checked', async () => {
      await place.outputs.check();
    });
  },
);
