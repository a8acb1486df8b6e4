/**
 * Puts together what Postgres answers as one: a startup, a simple query, or everything up to a Sync. PGlite answers what it is
 * given and no more.
 */
export function createQuestions(): (bytes: Uint8Array) => Uint8Array[] {
  let rest: Buffer = Buffer.alloc(0);
  /** Up to here `rest` has whole messages that wait for the end of their question. */
  let whole = 0;
  let isStarted = false;

  /** Where the message at `from` ends; null if it is not there yet. The startup alone has no letter before its length. */
  function endOfMessage(from: number): number | null {
    const lengthAt = isStarted ? from + 1 : from;
    if (rest.length < lengthAt + 4) return null;
    const end = lengthAt + rest.readUInt32BE(lengthAt);
    return end <= rest.length ? end : null;
  }

  return (bytes) => {
    rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]);
    const questions: Uint8Array[] = [];
    for (;;) {
      const end = endOfMessage(whole);
      if (end === null) return questions;
      const endsQuestion = !isStarted || ENDINGS.includes(rest[whole] ?? 0);
      isStarted = true;
      whole = end;
      if (!endsQuestion) continue;
      questions.push(rest.subarray(0, whole));
      rest = rest.subarray(whole);
      whole = 0;
    }
  };
}

/** Query, Sync, Terminate. */
const ENDINGS = ['Q', 'S', 'X'].map((letter) => letter.charCodeAt(0));
