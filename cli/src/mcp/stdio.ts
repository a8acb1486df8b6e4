import { Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { openFolder } from './folder.ts';
import { createSession } from './session.ts';

/** The protocol on standard input and output, as whoever is signed in here, until the client has gone. */
export async function serveStdio(context: Context, files: string): Promise<ExitCode> {
  const { world, client, tokens } = context;
  const session = createSession({
    context,
    clientFor: () => client,
    advice: () => tokens.advice(),
    folder: await openFolder(context, files),
  });
  const gone = new Promise<ExitCode>((resolve) => {
    world.stdin.once('end', () => resolve(EXIT.ok));
    world.stdin.once('close', () => resolve(EXIT.ok));
    world.interrupted.addEventListener('abort', () => resolve(EXIT.interrupted), { once: true });
  });
  const stdout = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      world.stdout.write(chunk);
      done();
    },
  });
  await session.connect(new StdioServerTransport(world.stdin, stdout));
  const exitCode = await gone;
  await session.close();
  return exitCode;
}
