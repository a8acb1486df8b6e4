import type { Context } from './context.ts';
import { EXIT } from './line/exit.ts';
import { ProgramError, notBuilt } from './program-error.ts';
import type { ServerProgram } from './world.ts';

/** The last line of a program that refused. */
interface Problem {
  readonly type: 'problem';
  readonly code: string;
  readonly exit: keyof typeof EXIT;
  readonly detail: string;
}

/** The messages of a program of the server, one by one. Throws a `ProgramError` if it refuses. */
export function messagesOfServer<Thing extends object>(
  { world }: Context,
  program: ServerProgram,
  args: readonly string[] = [],
): AsyncIterable<Thing> {
  const lines = world.serverLines(program, args);
  if (lines === null) throw notBuilt();
  return things(lines);
}

async function* things<Thing extends object>(lines: AsyncIterable<string>): AsyncGenerator<Thing> {
  for await (const line of lines) {
    const thing = JSON.parse(line) as Thing | Problem;
    if (isProblem(thing)) throw new ProgramError(thing.code, EXIT[thing.exit], thing.detail);
    yield thing;
  }
}

function isProblem(thing: object): thing is Problem {
  return 'type' in thing && thing.type === 'problem';
}
