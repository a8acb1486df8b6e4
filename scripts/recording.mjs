// node scripts/recording.mjs: records docs/pictures/terminal.svg. Commands of the README run in a terminal of their own, on
// a server in a temporary folder; what they print, and when, is what the picture shows.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draw } from './recording/draw.mjs';
import { createTerminal } from './recording/terminal.mjs';
import { debianPackages } from './services.mjs';
import { ensureBuild, ensureModules, ensurePackages, root, script, SetupError } from './setup.mjs';

const COMMANDS = [
  `npx millrace enqueue greet '{"name":"Ada"}' --watch`,
  'npx millrace templates add examples/invoice/template.docx --name invoice',
  'npx millrace generate --template invoice --data examples/invoice/data.json -o invoice.pdf',
  'npx millrace report run timesheet-detail -o timesheets.xlsx',
];
const COLUMNS = 92;
/** Typing is the only thing that is not recorded: a word each time. */
const TYPING_SECONDS = 0.12;
const READING_SECONDS = 1.2;
/** Changes that follow each other more quickly are one. */
const FRAME_SECONDS = 0.08;

await script(async () => {
  await ensureModules();
  await ensureBuild();
  await ensurePackages([debianPackages.office]);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-recording-'));
  const env = {
    PATH: `${join(root, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    TERM: 'xterm-256color',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
  };
  furnish(folder);
  const server = spawn(process.execPath, [join(root, 'server', 'dist', 'main.js')], {
    cwd: folder,
    env: { ...env, PORT: '0', MILLRACE_QUERIES: 'false' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await untilReady(server);
    // Once before: the first report on a machine also makes the database of its sample.
    await run('npx millrace report run timesheet-detail -o before.csv -q', folder, env, () => {});
    const frames = await record(folder, env);
    const title = 'A terminal: a job, an invoice and a report, each with one command';
    const file = join(root, 'docs', 'pictures', 'terminal.svg');
    writeFileSync(file, draw(frames, { columns: COLUMNS, title }));
    console.log(`${frames.length} frames, ${frames.at(-1)?.at.toFixed(1)} s: ${file}`);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The folder of somebody who follows the README. @param {string} folder */
function furnish(folder) {
  mkdirSync(join(folder, 'jobs'));
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, greet = ''] = /```ts\n(\/\/ jobs\/greet\.ts.*?)\n```/s.exec(readme) ?? [];
  writeFileSync(join(folder, 'jobs', 'greet.ts'), greet);
  for (const name of ['examples/invoice', 'reports'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** @param {import('node:child_process').ChildProcess} server */
async function untilReady(server) {
  let output = '';
  for await (const piece of server.stdout ?? []) {
    output += String(piece);
    if (/http:\/\/127\.0\.0\.1:\d+/.test(output)) return;
  }
  throw new SetupError(`The server did not start:\n${output}`);
}

/** @param {string} folder @param {NodeJS.ProcessEnv} env */
async function record(folder, env) {
  const terminal = createTerminal();
  /** @type {import('./recording/draw.mjs').Frame[]} */
  const frames = [];
  let now = 0.4;
  const keep = () => {
    const last = frames.at(-1);
    if (last !== undefined && now - last.at < FRAME_SECONDS) frames.pop();
    frames.push({
      at: last !== undefined && now - last.at < FRAME_SECONDS ? last.at : now,
      lines: terminal.lines(),
    });
  };
  for (const [index, command] of COMMANDS.entries()) {
    terminal.write(`${index === 0 ? '' : '\r\n'}\u001B[36m$\u001B[0m`);
    for (const word of command.split(' ')) {
      terminal.write(` ${word}`);
      keep();
      now += TYPING_SECONDS;
    }
    terminal.newLine();
    const began = now;
    const code = await run(command, folder, env, (text, seconds) => {
      now = began + seconds;
      terminal.write(text);
      keep();
    });
    if (code !== 0) throw new SetupError(`${command} ended with ${code}.`);
    terminal.newLine();
    now += READING_SECONDS;
  }
  return frames;
}

/**
 * Runs a command in a pseudo-terminal. Gives its exit code.
 *
 * @param {string} command @param {string} cwd @param {NodeJS.ProcessEnv} env
 * @param {(text: string, seconds: number) => void} hear
 */
async function run(command, cwd, env, hear) {
  const began = performance.now();
  const sized = `stty cols ${COLUMNS} rows 40; ${command}`;
  const child = spawn('script', ['-qfec', sized, '/dev/null'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text) => hear(text, (performance.now() - began) / 1_000));
  const [code] = await once(child, 'close');
  return code;
}
