import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
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
});
