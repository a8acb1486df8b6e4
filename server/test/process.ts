import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The compiled server is what people run, and plain Node reads no TypeScript: make sure that it is not stale. */
export function build(): void {
  const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-b', 'server'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (tsc.error) throw tsc.error;
}

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
    env: { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(cwd, 'state'), ...env },
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

/** What `loadJobs` finds in a folder, in a plain Node process. */
export async function loadInNode(folder: string): Promise<{ output: string; loaded: unknown }> {
  const module = join(root, 'server/dist/jobs/folder.js');
  const code = `
    const { loadJobs } = await import(${JSON.stringify(module)});
    const { kinds, rules, schedules, idle } = await loadJobs(${JSON.stringify(folder)}, true);
    console.log('loaded ' + JSON.stringify({ kinds: kinds.map((k) => k.kind), rules: rules.map((r) => r.name), schedules: schedules.map((s) => s.name), idle }));`;
  const started = startNode(['--input-type=module', '-e', code], {}, folder);
  await started.ended;
  const [, json] = /^loaded (.*)$/m.exec(started.output()) ?? [];
  return { output: started.output(), loaded: json === undefined ? null : JSON.parse(json) };
}
