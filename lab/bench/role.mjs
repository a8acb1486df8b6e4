// A process of its own for each contender of merge and convert: it stays warm, and is asked one thing after another.

import { fork } from 'node:child_process';

/** Forks `file` with `role`; the first question opens it. */
export function startRole(file, role, env = process.env) {
  const child = fork(file, [role], { env, stdio: ['ignore', 2, 2, 'ipc'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    pid: child.pid,
    ask: (params) =>
      new Promise((resolve, reject) => {
        const ended = (code) => reject(new Error(`the process of ${role} ended with ${code}`));
        child.once('exit', ended);
        child.once('message', ({ answer, error }) => {
          child.off('exit', ended);
          if (error === undefined) resolve(answer);
          else reject(new Error(error));
        });
        child.send(params);
      }),
    end: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
}

/** `open(params)` gives the function that answers all further questions. */
export function serveRole(open) {
  let answer = async (params) => {
    answer = await open(params);
    return {};
  };
  process.on('message', (params) => {
    Promise.resolve(answer(params)).then(
      (told) => process.send({ answer: told }),
      (error) => process.send({ error: error.stack ?? String(error) }),
    );
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}
