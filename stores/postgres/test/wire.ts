/** As much of Postgres' protocol as it takes to see where a question ends, and where its answer does. */

/** Puts whole messages together from what arrives. The startup message is the one without a type. */
export function messageReader(options: {
  startsWithStartup: boolean;
}): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  let isStartup = options.startsWithStartup;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const typeLength = isStartup ? 0 : 1;
      if (rest.length < typeLength + 4) return messages;
      const length = typeLength + rest.readUInt32BE(typeLength);
      if (rest.length < length) return messages;
      const type = isStartup ? 'startup' : String.fromCharCode(rest[0] ?? 0);
      messages.push({ type, bytes: rest.subarray(0, length) });
      rest = rest.subarray(length);
      isStartup = false;
    }
  };
}

export interface Message {
  readonly type: string;
  readonly bytes: Buffer;
}

const HEADER = 5;
const SIMPLE_QUERY = 'Q';
const PARSE = 'P';
const BIND = 'B';
const SYNC = 'S';
const BACKEND_KEY = 'K';
const READY = 'Z';

/** The messages that the server answers together: a startup, a simple query, or everything up to a Sync. */
export function endsQuestion({ type }: Message): boolean {
  return type === 'startup' || type === SIMPLE_QUERY || type === SYNC;
}

/** For people: the SQL of a simple query, the name or the SQL of a prepared one. */
export function textOf(question: readonly Message[]): string {
  for (const { type, bytes } of question) {
    if (type === 'startup') return 'startup';
    const texts = bytes.toString('utf8', HEADER).split('\0');
    if (type === SIMPLE_QUERY) return texts[0] ?? '';
    if (type === PARSE) return texts[0] === '' ? (texts[1] ?? '') : (texts[0] ?? '');
    if (type === BIND) return texts[1] ?? '';
  }
  return '';
}

export function endsAnswer({ type }: Message): boolean {
  return type === READY;
}

/** The type of the message that names the server's process. */
export function processOf({ type, bytes }: Message): number | null {
  return type === BACKEND_KEY ? bytes.readUInt32BE(HEADER) : null;
}
