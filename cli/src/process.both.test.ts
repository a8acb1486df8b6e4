import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished } from 'vitest';
import { docx, p } from '../../docx/test/builder.ts';
import { need } from '../../scripts/need.mjs';
import { aJob, running } from '../test/jobs.ts';
import { signInAt } from '../test/person.ts';
import { CSV, reportsFixture } from '../test/reports.ts';
import { fixture } from '../test/run.ts';
import { ADA, nameIn, protectedFixture } from '../test/signed-in.ts';
import { inFast, inLong } from '../../scripts/suite.ts';

const folder = join(import.meta.dirname, '..');

// A process of its own runs what is built.
await need('build');
await need('office');

function launch(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Standard input stays open: a command that does not read it must not wait for it. */
function millrace(args: readonly string[], url: string, env: Record<string, string> = {}) {
  return launch([join(folder, 'bin/millrace.js'), ...args], {
    ...NOBODY,
    MILLRACE_URL: url,
    ...env,
  });
}

/** Whoever runs the tests may be signed in somewhere. */
const NOBODY = {
  MILLRACE_TOKEN: '',
  MILLRACE_CLIENT_SECRET: '',
  XDG_STATE_HOME: '/nowhere',
  XDG_CONFIG_HOME: '/nowhere',
};

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.on('exit', resolve);
  });
}

/** Until the child has written this; gives all that it wrote. */
function says(child: ChildProcess, wanted: string): Promise<string> {
  let said = '';
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(wanted)) resolve(said);
    });
  });
}

inFast(
  'an older Node is named before anything of ours is loaded, which it cannot read',
  async () => {
    const older = `Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } })`;
    const program = join(folder, 'bin/millrace.js');
    const child = launch(['--import', `data:text/javascript,${older}`, program, 'jobs']);
    const [said, code] = await Promise.all([text(child.stderr), ended(child)]);
    expect(said).toMatch(/^Millrace needs Node 20\.19 or newer; this is 18\.20\.8\./);
    expect(code).toBe(70);
  },
);

describe('the process', () => {
  inFast('is silent when its reader has seen enough', async () => {
    const jobs = Array.from({ length: 5_000 }, (_, index) => aJob({ id: `pg-${index}` }));
    const { server } = await fixture(jobs);
    const child = millrace(['jobs', '--all'], server.url);
    child.stdout.once('data', () => child.stdout.destroy());
    const [code, stderr] = await Promise.all([ended(child), text(child.stderr)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(server.requests.length).toBeLessThan(25);
  });

  inLong('saves the file of a report although nobody reads any more how far it is', async () => {
    const place = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
    onTestFinished(() => rm(place, { recursive: true }));
    const { server } = await reportsFixture();
    const line = ['report', 'run', 'timesheets', '--county', '19', '-o', join(place, 'out.csv')];
    const child = millrace(line, server.url);
    child.stderr.once('data', () => child.stderr.destroy());
    expect(await ended(child)).toBe(0);
    expect(await readFile(join(place, 'out.csv'))).toEqual(CSV);
  });

  inFast.each(['SIGINT', 'SIGTERM'] as const)('ends in order with 130 at %s', async (signal) => {
    const { server } = await fixture([running()]);
    const child = millrace(['watch', 'pg-1'], server.url);
    const said = text(child.stderr);
    await says(child, 'PROCESSING');
    child.kill(signal);
    child.kill(signal); // npm passes on what the terminal has sent already
    expect(await ended(child)).toBe(130);
    expect(await said).toBe('');
  });

  inLong('takes the data of a pipe', async () => {
    const { server, service } = await fixture();
    const child = millrace(['enqueue', 'hello', '-'], server.url);
    child.stdin.end('{"name":"Ada"}');
    const [code, stdout] = await Promise.all([ended(child), text(child.stdout)]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'pg-1\n' });
    expect(service.jobs[0]?.data).toEqual({ name: 'Ada' });
  });

  inFast('can be interrupted while it waits for data', async () => {
    const { server } = await fixture();
    const child = millrace(['enqueue', 'hello', '--lines'], server.url);
    child.stdin.write('{"name":"Ada"}\n'.repeat(1_000));
    await says(child, 'pg-1000');
    child.kill('SIGINT');
    expect(await ended(child)).toBe(130);
  });
});

describe('millrace generate', () => {
  async function place() {
    const files = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
    onTestFinished(() => rm(files, { recursive: true }));
    const work = join(files, 'work');
    await mkdir(work);
    await writeFile(join(files, 't.docx'), docx(p('Dear {{Name}}')));
    await writeFile(join(files, 'd.json'), '{"Name":"Ada"}');
    const [template, data, out] = ['t.docx', 'd.json', 'out.pdf'].map((name) => join(files, name));
    const argv = ['generate', '--template', `${template}`, '--data', `${data}`, '-o', `${out}`];
    return {
      work,
      out: `${out}`,
      child: () => millrace(argv, 'http://127.0.0.1:9', { TMPDIR: work }),
    };
  }

  inFast('ends by itself when its one document is made, and leaves only that', async () => {
    const { work, out, child } = await place();
    const started = child();
    const [code, stderr] = await Promise.all([ended(started), text(started.stderr)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/ KB, in /) });
    expect((await readFile(out)).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await readdir(work)).toEqual([]);
  });

  inLong('takes LibreOffice with it when it is interrupted', async () => {
    const { work, out, child } = await place();
    const watcher = watch(work);
    const begun = new Promise((resolve) => {
      watcher.once('change', resolve);
    });
    const started = child();
    const ending = ended(started);
    await begun;
    watcher.close();
    started.kill('SIGINT');
    expect(await ending).toBe(130);
    expect(await readdir(work)).toEqual([]);
    await expect(readFile(out)).rejects.toThrow('ENOENT');
  });
});

describe('signing in', () => {
  /** A process has its own clock: the issuer goes by the same. */
  const realClock = {
    get now() {
      return Date.now();
    },
  };

  inLong('works with the real files, and the process ends by itself', async () => {
    const { server, folder: place, credentials } = await protectedFixture(realClock);
    const env = { XDG_CONFIG_HOME: join(place, 'config') };
    const child = millrace(['login', '--no-browser', '--json'], server.url, env);
    const ending = ended(child);
    const said = text(child.stdout);
    const [first = ''] = (await says(child, '\n')).split('\n');
    const { address } = JSON.parse(first) as { address: string };
    expect((await signInAt(address, ADA)).text).toContain('You are signed in');
    expect(await ending).toBe(0);
    expect(await said).toContain(ADA);
    expect(Object.keys(await credentials())).toEqual([server.url]);

    const printed = millrace(['token'], server.url, env);
    const [code, token] = await Promise.all([ended(printed), text(printed.stdout)]);
    expect(code).toBe(0);
    expect(nameIn(token)).toBe(ADA);
  });

  inFast.each(['--device', '--no-browser'])('with %s ends in order at SIGINT', async (option) => {
    const { server } = await protectedFixture(realClock);
    const child = millrace(['login', option, '--json'], server.url);
    await says(child, 'address');
    child.kill('SIGINT');
    expect(await ended(child)).toBe(130);
  });
});

describe('millrace start', () => {
  /** A program in the place of the server. */
  async function start(source: string) {
    const place = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
    onTestFinished(() => rm(place, { recursive: true }));
    const program = join(place, 'program.mjs');
    await writeFile(program, source);
    const script = `
      import { runProgram } from ${JSON.stringify(join(folder, 'dist/process.js'))};
      import { takeSignals } from ${JSON.stringify(join(folder, 'dist/terminal/signals.js'))};
      process.exitCode = await runProgram(${JSON.stringify(program)}, takeSignals());
    `;
    return launch(['--input-type=module', '--eval', script]);
  }

  inFast('passes signals on and waits for the end', async () => {
    const source = `
      process.on('SIGTERM', () => setTimeout(() => process.exit(7), 50));
      setInterval(() => {}, 1_000);
      console.log('ready');
    `;
    const child = await start(source);
    await says(child, 'ready');
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(7);
  });

  inFast('tells by its exit code which signal ended the server', async () => {
    const child = await start(`process.kill(process.pid, 'SIGKILL');`);
    expect(await ended(child)).toBe(137);
  });

  inFast('says so where the command line itself is not built', async () => {
    const place = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
    onTestFinished(() => rm(place, { recursive: true }));
    await cp(join(folder, 'bin'), join(place, 'bin'), { recursive: true });
    await writeFile(join(place, 'package.json'), '{"type":"module"}');
    const child = launch([join(place, 'bin/millrace.js'), 'jobs']);
    const [code, stderr] = await Promise.all([ended(child), text(child.stderr)]);
    expect(code).toBe(70);
    expect(stderr).toMatch(/^millrace is not built yet: [^\n]+\n$/);
  });
});
