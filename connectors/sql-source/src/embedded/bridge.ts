import { Duplex } from 'node:stream';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { CONTROL_BYTES, type Control, controlOf } from './wire.ts';

/** A socket for the pg package, with the other end for the thread of the database. */
export interface Bridge {
  readonly stream: Duplex;
  readonly control: Control;
  /** For the thread. */
  readonly far: { readonly port: MessagePort; readonly control: SharedArrayBuffer };
}

/** Kept in the stream itself; what is under way besides is bounded by the thread (thread.ts). */
const READ_AHEAD_BYTES = 256 * 1024;

export function createBridge(): Bridge {
  const { port1: port, port2 } = new MessageChannel();
  const memory = new SharedArrayBuffer(CONTROL_BYTES);
  const control = controlOf(memory);
  const arrived: Uint8Array[] = [];
  let isWanted = false;
  let bytesRead = 0;

  const stream = new Duplex({
    readableHighWaterMark: READ_AHEAD_BYTES,
    read() {
      isWanted = true;
      pass();
    },
    write(bytes: Uint8Array, _, done) {
      port.postMessage(new Uint8Array(bytes));
      done();
    },
    writev(pieces, done) {
      port.postMessage(Buffer.concat(pieces.map(({ chunk }) => chunk as Buffer)));
      done();
    },
    final(done) {
      done();
      // A socket is closed once both sides have said goodbye; the database says none.
      stream.destroy();
    },
    destroy(error, done) {
      control.cancel();
      port.close();
      done(error);
    },
  });

  function pass(): void {
    while (isWanted) {
      const bytes = arrived.shift();
      if (bytes === undefined) return;
      bytesRead += bytes.length;
      control.taken(bytes.length);
      isWanted = stream.push(Buffer.from(bytes.buffer));
    }
  }

  port.on('message', (bytes: Uint8Array) => {
    arrived.push(bytes);
    pass();
  });
  // The thread has ended.
  port.on('close', () => stream.destroy());

  Object.defineProperty(stream, 'bytesRead', { get: () => bytesRead });
  return { stream: asSocket(stream), control, far: { port: port2, control: memory } };
}

/** There is nothing to connect to, and nothing to keep alive. */
function asSocket(stream: Duplex): Duplex {
  const socket = {
    connect: () => setImmediate(() => stream.emit('connect')),
    setNoDelay: () => stream,
    setKeepAlive: () => stream,
    ref: () => stream,
    unref: () => stream,
  };
  return Object.assign(stream, socket);
}
