import { type SerializedError, pino } from 'pino';

/**
 * An error as its line has it. Pino appends the message of each cause; our own errors say what their cause said in a
 * sentence already, and would say it twice. The stacks of the causes are kept.
 */
export function errorFields(error: Error): SerializedError {
  const fields = pino.stdSerializers.err(error);
  // What is thrown is not always an error: pino gives it back as it is.
  return error instanceof Error ? Object.assign(fields, { message: messageOf(error) }) : fields;
}

function messageOf(error: Error): string {
  let said = error.message;
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; cause instanceof Error && !seen.has(cause); { cause } = cause) {
    seen.add(cause);
    if (!said.includes(cause.message)) said = `${said.replace(/\.$/, '')}: ${cause.message}`;
  }
  return said;
}
