import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { runMark } from '../../scripts/leftovers.mjs';
import { pathOf } from '../../scripts/nodes.mjs';

const run = promisify(execFile);

/** Somebody's project outside of the tree, with what they have installed in it. */
export interface Project {
  readonly folder: string;
  /** Runs a program with this version of Node; gives what it wrote. */
  run(node: string, program: string, args: readonly string[], env?: Environment): Promise<string>;
  start(node: string, env?: Environment): Promise<Running>;
}

export interface Running {
  readonly address: string;
  readonly kinds: readonly string[];
  /** By Ctrl-C, which reaches all processes of a terminal, or by a signal for npx alone. Ends when the server has ended. */
  stop(by: 'Ctrl-C' | 'signal'): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** As people have it, and our declarations are looked into as well (`skipLibCheck` is false unless set). */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    types: ['node'],
    rootDir: '.',
    outDir: 'built',
  },
  include: ['jobs', 'src'],
};

export async function makeProject(params: {
  readonly folder: string;
  /** What its people have written. */
  readonly files: string;
  readonly registry: string;
  readonly install: readonly string[];
}): Promise<Project> {
  const { folder, files, registry, install } = params;
  await mkdir(folder, { recursive: true });
  await cp(files, folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "name": "orders", "type": "module" }\n');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await writeFile(join(folder, '.npmrc'), `@millrace:registry=${registry}\nignore-scripts=true\n`);
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...install];
  await run('npm', args, { cwd: folder });

  /** Nothing of whoever runs the tests: no settings, no server of theirs. */
  const environment = (node: string, env: Environment = {}) => ({
    PATH: pathOf(node),
    HOME: homedir(),
    TMPDIR: tmpdir(),
    ...runMark(), // the server is a process group of its own
    XDG_STATE_HOME: join(folder, 'state'),
    NODE_COMPILE_CACHE: join(folder, 'compiled'), // npm of Node 22 and later would leave it in the temporary folder
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    ...env,
  });

  return {
    folder,
    async run(node, program, given, env) {
      const options = { cwd: folder, env: environment(node, env) };
      return (await run(program, given, options)).stdout;
    },
    async start(node, env) {
      const server = spawn('npx', ['millrace', 'start'], {
        cwd: folder,
        env: environment(node, { PORT: '0', MILLRACE_OFFICE_PATH: join(folder, 'none'), ...env }),
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true, // a process group, as a terminal has one
      });
      const running = await started(server);
      server.stdout.resume(); // what comes later is nobody's
      return { ...running, stop: (by) => stop(server, by) };
    },
  };
}

interface Line {
  readonly msg?: string;
  readonly address?: string;
  readonly kinds?: readonly string[];
}

async function started(
  server: ChildProcess,
): Promise<{ address: string; kinds: readonly string[] }> {
  if (server.stdout === null) throw new Error('The server has no output.');
  const seen: string[] = [];
  for await (const text of createInterface({ input: server.stdout })) {
    seen.push(text);
    const line = text.startsWith('{') ? (JSON.parse(text) as Line) : {};
    if (line.address === undefined || line.kinds === undefined) continue;
    return { address: line.address, kinds: line.kinds };
  }
  throw new Error(`The server did not start:\n${seen.join('\n')}`);
}

async function stop(server: ChildProcess, by: 'Ctrl-C' | 'signal'): Promise<void> {
  if (server.pid === undefined || server.stdout === null) return;
  // Its output is that of the server, and ends with the last process that has it.
  const ended = once(server.stdout, 'close');
  if (by === 'Ctrl-C') process.kill(-server.pid, 'SIGINT');
  else server.kill('SIGTERM');
  await ended;
}
