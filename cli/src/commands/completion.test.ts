import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aJob } from '../../test/jobs.ts';
import { fixture } from '../../test/run.ts';

describe('millrace completion', () => {
  test.each([
    ['', ['start', 'enqueue', 'jobs']],
    ['enq', ['enqueue']],
    ['jobs --st', ['--state']],
    ['jobs --state F', ['FAILED']],
    ['jobs --kind ', ['hello']],
    ['enqueue he', ['hello']],
    ['pause ', ['hello']],
    ['job ', ['pg-1', 'delete']],
    ['job delete ', ['pg-1']],
    ['retry pg-1 ', ['pg-1']],
    ['worker st', ['status', 'stop', 'start']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['help wat', ['watch']],
    ['generate --format p', ['pdf']],
    ['jobs --js', ['--json']],
    ['nonsense ', []],
  ])('after "%s" offers %j', async (typed, offered) => {
    const { millrace } = await fixture([aJob()]);
    const words = typed.split(' ').map((word) => `'${word}'`);
    const { code, lines, stderr } = await millrace(`completion words -- ${words.join(' ')}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines).toEqual(
      offered.length === 3 && typed === '' ? expect.arrayContaining(offered) : offered,
    );
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

  test('is understood by bash', async () => {
    const { millrace } = await fixture();
    const { stdout } = await millrace('completion bash');
    const script = `millrace() { printf '%s\\n' "$@"; }
${stdout}
COMP_WORDS=(millrace jobs --state ''); COMP_CWORD=3; _millrace; printf '%s|' "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })).toBe(
      'completion|words|--|jobs|--state|',
    );
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
