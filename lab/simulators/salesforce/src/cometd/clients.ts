import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Clock } from '@millrace/simulator-kit';
import type { KeptEvent } from './retained-events.ts';
import type { Outgoing } from './messages.ts';

/** Who has shaken hands, what they subscribed to, and what waits for them. */
export interface Clients {
  open(token: string): Client;
  /** Undefined: it was never here, has left, or was silent for too long. */
  find(id: string): Client | undefined;
  remove(client: Client): void;
  /** To everyone who subscribed to it. */
  deliver(event: KeptEvent): void;
  /** Ends when something waits for the client, when the time is up, or when either side leaves. */
  poll(client: Client, ms: number, socket: Socket): Promise<void>;
  /** Ends every open poll. */
  wake(): void;
  forget(): void;
  /** How many long polls are open now. */
  readonly polling: number;
}

export interface Client {
  readonly id: string;
  /** The value of its cookie. */
  readonly browser: string;
  /** The session it shook hands with. */
  readonly token: string;
  /** Object to channel, as the client spelled it. */
  readonly channels: Map<string, string>;
  readonly queue: Outgoing[];
  hasConnected: boolean;
  /** Moment by the org's clock. */
  seenAt: number;
  /** Ends its long poll. */
  end: (() => void) | null;
}

/** Salesforce waits so long for the next long poll, then forgets the client. */
const SILENT_MS = 40_000;
const LONGEST_QUEUE = 10_000;

export function createClients(clock: Clock): Clients {
  const clients = new Map<string, Client>();

  function isGone({ seenAt, end }: Client): boolean {
    return end === null && clock.now() - seenAt > SILENT_MS;
  }

  function remove(client: Client): void {
    clients.delete(client.id);
    client.end?.();
  }

  return {
    open(token) {
      for (const client of clients.values()) if (isGone(client)) remove(client);
      const client: Client = {
        id: randomBytes(16).toString('hex'),
        browser: randomBytes(12).toString('hex'),
        token,
        channels: new Map(),
        queue: [],
        hasConnected: false,
        seenAt: clock.now(),
        end: null,
      };
      clients.set(client.id, client);
      return client;
    },
    find(id) {
      const client = clients.get(id);
      if (client === undefined || isGone(client)) return undefined;
      client.seenAt = clock.now();
      return client;
    },
    remove,
    deliver({ object, data }) {
      for (const client of clients.values()) {
        const channel = client.channels.get(object);
        if (channel === undefined || isGone(client)) continue;
        client.queue.push({ data, channel });
        if (client.queue.length > LONGEST_QUEUE) client.queue.shift();
        client.end?.();
      }
    },
    async poll(client, ms, socket) {
      client.end?.(); // a client has one long poll: the newer
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          socket.off('close', end);
          if (client.end === end) client.end = null;
          client.seenAt = clock.now();
          resolve();
        };
        const timer = setTimeout(end, ms);
        socket.once('close', end);
        client.end = end;
        if (socket.destroyed) end();
      });
    },
    wake() {
      for (const { end } of clients.values()) end?.();
    },
    forget() {
      for (const client of clients.values()) remove(client);
    },
    get polling() {
      return [...clients.values()].filter(({ end }) => end !== null).length;
    },
  };
}
