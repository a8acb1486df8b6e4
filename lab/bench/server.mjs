// The server as a process of its own, as `npm start` has it.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runMark } from '../../scripts/leftovers.mjs';

const MAIN = fileURLToPath(import.meta.resolve('@millrace/server/main'));

/** `settings` are its environment; `folder` is where it works; `flags` are Node's. */
export async function startServer(settings, folder, flags = []) {
  const child = spawn(process.execPath, [...flags, MAIN], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      ...runMark(),
      NODE_ENV: 'development',
      AUTH_BYPASS_DEVELOPMENT: 'true',
      PORT: '0',
      CONVERSION_WORKDIR: folder,
      ...(process.env.MILLRACE_OFFICE_PATH && {
        MILLRACE_OFFICE_PATH: process.env.MILLRACE_OFFICE_PATH,
      }),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const baseUrl = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      if (said === null) return; // read on, so that its log does not block it
      said += text;
      const [, address] = /"address":"([^"]+)"/.exec(said) ?? [];
      if (address === undefined) return;
      said = null;
      resolve(address);
    });
    void ended.then((code) => reject(new Error(`the server ended with ${code}:\n${said}`)));
  });
  return {
    baseUrl,
    pid: child.pid,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}
