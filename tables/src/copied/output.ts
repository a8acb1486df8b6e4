/** Bytes that are written one after the other into memory that grows. */
export interface Output {
  bytes: Buffer;
  length: number;
}

/** Up to here, a loop is faster than a call of the system's copy (Node 20: some 50 ns a call). */
const SHORT = 48;
/** The bytes of UTF-8 for a character of a JavaScript string. */
const MOST_BYTES = 3;

export function createOutput(size: number): Output {
  return { bytes: Buffer.allocUnsafeSlow(size), length: 0 };
}

/** The bytes so far, for keeps: what follows is written elsewhere. */
export function takenFrom(out: Output): Uint8Array {
  const taken = out.bytes.subarray(0, out.length);
  out.bytes = Buffer.allocUnsafeSlow(out.bytes.length);
  out.length = 0;
  return taken;
}

export function reserve(out: Output, more: number): void {
  const needed = out.length + more;
  if (needed <= out.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, out.bytes.length * 2));
  out.bytes.copy(grown, 0, 0, out.length);
  out.bytes = grown;
}

export function putText(out: Output, text: string): void {
  reserve(out, text.length * MOST_BYTES);
  out.length += out.bytes.write(text, out.length);
}

export function put(out: Output, from: Uint8Array, start = 0, end = from.length): void {
  const more = end - start;
  reserve(out, more);
  const { bytes } = out;
  let at = out.length;
  if (more > SHORT) bytes.set(from.subarray(start, end), at);
  else for (let i = start; i < end; i++) bytes[at++] = from[i] ?? 0;
  out.length += more;
}
