import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { need } from '../../scripts/need.mjs';

const root = join(import.meta.dirname, '../..');

// The compiled server is what people run, and plain Node reads no TypeScript.
await need('build');

export interface Started {
  readonly child: ChildProcess;
  /** Everything it has written so far. */
  output(): string;
  /** Resolves with the first match in its output; rejects when it ends without one. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<number | null>;
}

/** The server as a process of its own, with no settings but these. */
export function startMain(env: Record<string, string>, cwd: string): Started {
  return startNode([join(root, 'server/dist/main.js')], env, cwd);
}

export function startNode(args: string[], env: Record<string, string>, cwd: string): Started {
  const child = spawn(process.execPath, args, {
    cwd,
    // It tells the command line of this user about itself: here, that of the test.
    env: {
      PATH: process.env['PATH'] ?? '',
      TMPDIR: tmpdir(),
      CONVERSION_WORKDIR: tmpdir(), // /tmp by default, which other programs of the machine use too
      XDG_STATE_HOME: join(cwd, 'state'),
      ...env,
    },
  });
  let output = '';
  const listeners = new Set<() => void>();
  const listen = (chunk: Buffer) => {
    output += chunk.toString();
    for (const each of listeners) each();
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    child,
    output: () => output,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match) resolve(match);
        };
        listeners.add(look);
        look();
        void ended.then((code) =>
          reject(new Error(`ended with ${code} and never said ${String(pattern)}:\n${output}`)),
        );
      }),
  };
}

/**
 * With what `startMillrace` refuses each of these settings, in one process: a process of its own takes a second of the processor
 * for each. `main` shows such a refusal, without a stack, and ends with 1.
 */
export async function refusedInNode(
  folder: string,
  all: readonly Readonly<Record<string, string>>[],
): Promise<string[]> {
  const path = (name: string) => JSON.stringify(join(root, 'server/dist', name));
  const code = `
    const { readConfig } = await import(${path('config/config.js')});
    const { createLog } = await import(${path('log/log.js')});
    const { startMillrace } = await import(${path('millrace.js')});
    const { StartError } = await import(${path('start-error.js')});
    const log = createLog({ level: 'silent', readable: false, secrets: [] });
    const refusals = [];
    for (const env of ${JSON.stringify(all)}) {
      const thrown = await startMillrace(readConfig({ PORT: '0', ...env }), log).catch((error) => error);
      if (!(thrown instanceof StartError)) throw thrown;
      refusals.push(thrown.message);
    }
    console.log('refused ' + JSON.stringify(refusals));
    process.exit();`;
  const started = startNode(['--input-type=module', '-e', code], {}, folder);
  const [, json = ''] = await started.says(/^refused (.*)$/m);
  await started.ended;
  return JSON.parse(json) as string[];
}

/** What `loadJobs` finds in a folder, in a plain Node process; and with what each of its subfolders that are named here is refused. */
export async function loadInNode(
  folder: string,
  wrong: readonly string[] = [],
): Promise<{ output: string; loaded: unknown; refusals: Readonly<Record<string, string>> }> {
  const code = `
    const { createRegistry } = await import(${JSON.stringify(join(root, 'engine/dist/index.js'))});
    const { loadJobs } = await import(${JSON.stringify(join(root, 'server/dist/jobs/folder.js'))});
    const { kinds, rules, schedules, idle } = await loadJobs(${JSON.stringify(folder)}, true);
    const loaded = { kinds: kinds.map((k) => k.kind), rules: rules.map((r) => r.name), schedules: schedules.map((s) => s.name), idle };
    const refusals = {};
    for (const name of ${JSON.stringify(wrong)})
      try {
        const jobs = await loadJobs(${JSON.stringify(folder)} + '/' + name, true);
        jobs.check(createRegistry(jobs.kinds));
      } catch (error) {
        refusals[name] = error.message;
      }
    console.log('loaded ' + JSON.stringify({ loaded, refusals }));`;
  const started = startNode(['--input-type=module', '-e', code], {}, folder);
  await started.ended;
  const [, json] = /^loaded (.*)$/m.exec(started.output()) ?? [];
  const said = json === undefined ? { loaded: null, refusals: {} } : JSON.parse(json);
  return { output: started.output(), ...said };
}
