import type { Server } from 'node:http';
import { type Server as NetServer, type Socket, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { addressOf } from '../address.ts';
import type { Config } from '../config/config.ts';
import { cannotListen } from '../port.ts';

/**
 * A port that stays open while what answers behind it is started again. Connections that come meanwhile wait, and are then answered:
 * nobody is refused because somebody has saved a file.
 */
export interface Door {
  isOpen(): boolean;
  /** Listens, unless it does already, and leads to this server from now on. Gives the address. */
  lead(server: Server, at: Pick<Config, 'host' | 'port'>): Promise<string>;
  /** From now on connections wait for the next server. Ends when the one that it led to has answered its last. */
  hold(): Promise<void>;
  close(): Promise<void>;
}

/** Only while some request is under way. */
const LOOK_MS = 20;

export function createDoor(): Door {
  let server: Server | null = null;
  const waiting = new Set<Socket>();
  let answered = new Set<Socket>();
  // As those that Node's HTTP server makes for itself.
  const net = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) =>
    enter(socket),
  );

  function enter(socket: Socket): void {
    if (server !== null) return lead(server, socket);
    waiting.add(socket);
    socket.once('close', () => waiting.delete(socket));
    socket.on('error', ignore); // whoever does not want to wait
  }

  function lead(to: Server, socket: Socket): void {
    waiting.delete(socket);
    socket.off('error', ignore);
    const led = answered;
    led.add(socket);
    socket.once('close', () => led.delete(socket));
    to.emit('connection', socket); // a documented way to give an HTTP server a connection
    socket.resume();
  }

  return {
    isOpen: () => net.listening,
    async lead(next, at) {
      if (!net.listening) await listenOn(net, at);
      // It never listens itself: this is what has it look after slow senders (headersTimeout, requestTimeout).
      next.emit('listening');
      server = next;
      for (const socket of waiting) lead(next, socket);
      return addressOf(net);
    },
    async hold() {
      const [before, led] = [server, answered];
      [server, answered] = [null, new Set()];
      // A connection that is kept alive would wait for what is not asked here any more.
      for (; before !== null && led.size > 0; await setTimeout(LOOK_MS))
        before.closeIdleConnections();
    },
    close() {
      for (const socket of waiting) socket.destroy();
      if (!net.listening) return Promise.resolve();
      return new Promise((resolve) => net.close(() => resolve()));
    },
  };
}

async function listenOn(net: NetServer, { host, port }: Pick<Config, 'host' | 'port'>) {
  try {
    await new Promise<void>((resolve, reject) => {
      net.once('error', reject);
      net.listen({ host, port }, resolve);
    });
  } catch (error) {
    throw cannotListen(error, host, port);
  }
}

function ignore(): void {}
