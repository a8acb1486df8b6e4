import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aBatch, documentsFixture } from '../../test/documents.ts';
import { aJob, aKind } from '../../test/jobs.ts';
import { fixture } from '../../test/run.ts';

describe('millrace completion', () => {
  test.each([
    ['', ['start', 'enqueue', 'jobs']],
    ['enq', ['enqueue']],
    ['jobs --st', ['--state']],
    ['jobs --state F', ['FAILED']],
    ['jobs --kind ', ['hello', 'hello.cleanup']],
    ['enqueue he', ['hello']],
    ['pause ', ['hello', 'hello.cleanup']],
    ['job ', ['pg-1', 'delete']],
    ['job delete ', ['pg-1']],
    ['retry pg-1 ', ['pg-1']],
    ['worker st', ['status', 'stop', 'start']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['help wat', ['watch']],
    ['generate --format p', ['pdf']],
    ['jobs --js', ['--json']],
    ['nonsense ', []],
    ['jobs --state=F', ['--state=FAILED']],
    ['jobs --correlation ', []],
    ['--url http://127.0.0.1:1 enq', ['enqueue']],
    ['retry --state FAILED pg', ['pg-1']],
  ])('after "%s" offers %j', async (typed, offered) => {
    const { millrace, service } = await fixture([aJob()]);
    service.kinds = [aKind(), aKind({ name: 'hello.cleanup', public: false })];
    const words = typed.split(' ').map((word) => `'${word}'`);
    const { code, lines, stderr } = await millrace(`completion words -- ${words.join(' ')}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines).toEqual(
      offered.length === 3 && typed === '' ? expect.arrayContaining(offered) : offered,
    );
  });

  test.each([
    ['templates show ', ['invoice']],
    ['templates remove in', ['invoice']],
    ['generate --template ', ['invoice']],
    ['batch status ', ['batch-3']],
    ['batch --template invoice st', ['status']],
    ['batch ', ['list', 'status', 'cancel', 'failed', 'retry', 'download']],
  ])('of documents, after "%s", offers %j', async (typed, offered) => {
    const { millrace, documents } = await documentsFixture();
    documents.batches = [aBatch(1, 0)];
    const words = typed.split(' ').map((word) => `'${word}'`);
    expect((await millrace(`completion words -- ${words.join(' ')}`)).lines).toEqual(offered);
  });

  test('offers what it knows by itself where no server answers', async () => {
    const { millrace, server } = await fixture();
    await server.stop();
    expect((await millrace(`completion words -- 'jobs' '--kind' ''`)).lines).toEqual([]);
    expect((await millrace(`completion words -- 'cance'`)).lines).toEqual(['cancel']);
  });

  test('gives each shell a script of its own', async () => {
    const { millrace } = await fixture();
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await millrace(`completion ${shell}`)).stdout).toContain(
        'millrace completion words --',
      );
    expect(await millrace('completion tcsh')).toMatchObject({
      code: 2,
      stderr: 'There is completion for bash, zsh, and fish, not for "tcsh".\n',
    });
  });

  /** What bash breaks a line into, and what it is given back. `millrace` answers with what is asked, then with `answers`. */
  function inBash(script: string, words: readonly string[], answers: readonly string[]): string {
    const parts = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
    // Words are broken at : and =, which stand in the line without spaces.
    const line = words
      .join(' ')
      .replace(/ ?([:=]) ?/g, '$1')
      .replaceAll("'", String.raw`'\''`);
    const said = answers.map((answer) => `'${answer.replaceAll("'", String.raw`'\''`)}'`);
    return execFileSync(
      'bash',
      [
        '--norc',
        '-c',
        `millrace() { printf '%s|' "$@" >&2; printf '%s\\n' ${said.join(' ')}; }
${script.replace(' 2>/dev/null', '')}
COMP_WORDS=(${parts}); COMP_CWORD=${words.length - 1}; COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}
_millrace 2>&1; printf '%s|' "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8' },
    );
  }

  test.each<[string, string[], string[], string]>([
    ['a word', ['jobs', '--state', ''], ['FAILED'], 'jobs|--state||FAILED|'],
    [
      'what is broken at a colon',
      ['schedules', 'run', 'report', ':', 'pay'],
      ['report:payments'],
      'schedules|run|report:pay|payments|',
    ],
    ['what is broken at its end', ['run', 'report', ':'], ['report:x'], 'run|report:|x|'],
    [
      'what is broken at =',
      ['jobs', '--state', '=', 'F'],
      ['--state=FAILED'],
      'jobs|--state=F|FAILED|',
    ],
    [
      'a name with a space',
      ['--template', 'My'],
      ['My letter'],
      String.raw`--template|My|My\ letter|`,
    ],
    ['after a quote', ['--template', '"My'], ['My letter'], '--template|My|My letter|'],
    [
      'after a space',
      ['--template', String.raw`My\ l`],
      ['My letter'],
      String.raw`--template|My l|My\ letter|`,
    ],
  ])('is understood by bash: %s', async (_, words, answers, seen) => {
    const { millrace } = await fixture();
    const { stdout } = await millrace('completion bash');
    expect(inBash(stdout, ['millrace', ...words], answers)).toBe(`completion|words|--|${seen}`);
  });

  test.skipIf(!isInstalled('zsh'))(
    'is understood by zsh, from the first Tab on where it is a file of $fpath',
    async () => {
      const { millrace } = await fixture();
      const { stdout } = await millrace('completion zsh');
      const folder = temporaryFolder();
      writeFileSync(join(folder, '_millrace'), stdout);
      // compadd is for a terminal that completes: what it is given is looked at here.
      const typed = `millrace() { printf '%s\\n' "$@"; }
compadd() { printf '%s|' "$@"; }
words=(millrace jobs --state ''); CURRENT=4`;
      const asked = '--|completion|words|--|jobs|--state|';
      const run = (script: string) =>
        execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8' });
      const loaded = run(`fpath=('${folder}'); autoload -Uz _millrace; ${typed}; _millrace`);
      expect(loaded).toBe(asked);
      const sourced = run(
        `compdef() { print -n "$@ "; }; source '${folder}/_millrace'; ${typed}; _millrace`,
      );
      expect(sourced).toBe(`_millrace millrace ${asked}`);
    },
  );

  test.skipIf(!isInstalled('fish'))(
    'is understood by fish, which offers files only where there is nothing else',
    async () => {
      const { millrace } = await fixture();
      const { stdout } = await millrace('completion fish');
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'a-file.docx'), '');
      const offered = (typed: string, words: string) =>
        execFileSync(
          'fish',
          [
            '--no-config',
            '-c',
            `function millrace; ${words}; end\n${stdout}\ncomplete -C "millrace ${typed}"`,
          ],
          { encoding: 'utf8', cwd: folder, env: { ...process.env, HOME: folder } },
        )
          .split('\n')
          .filter((line) => line !== '')
          .toSorted();
      const echoed = String.raw`printf '%s\n' $argv`;
      expect(offered('jobs --state ', echoed)).toEqual(
        ['--', '--state', 'completion', 'jobs', 'words'].toSorted(),
      );
      expect(offered('generate a', 'true')).toEqual(['a-file.docx']);
    },
  );
});

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
