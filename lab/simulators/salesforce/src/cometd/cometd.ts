import type { Socket } from 'node:net';
import type { Answer } from '@millrace/simulator-kit';
import { ApiError } from '../errors.ts';
import { json } from '../http/answer.ts';
import type { Sessions } from '../oauth/sessions.ts';
import type { Org } from '../org.ts';
import { methodNotAllowed } from '../rest/request.ts';
import { LAST_VERSION } from '../rest/resources.ts';
import { type Client, type Clients, createClients } from './clients.ts';
import { createRetainedEvents } from './retained-events.ts';
import {
  type Message,
  type Outgoing,
  failure,
  readMessages,
  success,
  unauthorized,
  unknownClient,
} from './messages.ts';

/** The Streaming API, `/cometd/66.0`: platform events by long polling. It counts against no limit. */
export interface Cometd {
  answer(visit: Visit): Promise<Answer>;
  /** Salesforce loses its clients at times: each has to shake hands again. */
  forgetClients(): void;
  readonly polling: number;
}

export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly cookies: string;
  /** Null: the session is no good. */
  readonly token: string | null;
  readonly socket: Socket;
}

const COOKIE = 'BAYEUX_BROWSER';
const FIRST_VERSION = 37;
const LONGEST_BODY = 1_048_576;

export function createCometd(org: Org, sessions: Sessions): Cometd {
  const kept = createRetainedEvents(org.clock);
  const clients: Clients = createClients(org.clock);
  const { longPollMs } = org.settings;
  org.onPublish((event, row) => clients.deliver(kept.add(event, row)));
  // An open long poll learns at once that its session has ended.
  sessions.onEnd(clients.wake);

  function subscribe(client: Client, message: Message): Outgoing {
    const { subscription: channel } = message;
    if (typeof channel !== 'string' || channel === '') {
      return failure(message, '400::Channel name not specified');
    }
    if (!channel.startsWith('/')) {
      return failure(message, "400::Channel subscriptions must start with a leading '/'");
    }
    const object = org.schema.find(/^\/event\/(\w+)$/.exec(channel)?.[1] ?? '');
    const fields = { clientId: client.id, subscription: channel };
    if (object?.isEvent !== true) {
      const error = `400::The channel you requested to subscribe to does not exist {${channel}}`;
      return failure(message, error, fields);
    }
    const replay = Number(message.replay[channel] ?? -1);
    const missed = replay === -1 ? [] : kept.after(object.name, replay);
    if (missed === null) {
      return failure(message, `400::The replayId {${replay}} is not valid`, fields);
    }
    client.channels.set(object.name, channel);
    client.queue.push(...missed.map(({ data }) => ({ data, channel })));
    if (missed.length > 0) client.end?.();
    return success(message, { subscription: channel });
  }

  function unsubscribe(client: Client, message: Message): Outgoing {
    const { subscription } = message;
    for (const [object, channel] of client.channels) {
      if (channel === subscription) client.channels.delete(object);
    }
    return success(message, { subscription });
  }

  /** The first one answers at once, with what the client should know; the others wait for something to tell. */
  async function connect(client: Client, message: Message, socket: Socket): Promise<Outgoing[]> {
    const isFirst = !client.hasConnected;
    client.hasConnected = true;
    if (!isFirst && client.queue.length === 0) await clients.poll(client, longPollMs, socket);
    if (socket.destroyed) return []; // what waits for the client stays for its next long poll
    if (clients.find(client.id) !== client) return [unknownClient(message)];
    if (sessions.use(client.token) === null) return [unauthorized(message)];
    const advice = { interval: 0, timeout: longPollMs, reconnect: 'retry' };
    return [...client.queue.splice(0), success(message, isFirst ? { advice } : {})];
  }

  async function answerTo(message: Message, visit: Visit): Promise<Outgoing[]> {
    if (visit.token === null) return [unauthorized(message)];
    const client = clients.find(message.clientId);
    if (client === undefined || client.token !== visit.token) return [unknownClient(message)];
    if (!visit.cookies.includes(`${COOKIE}=${client.browser}`)) {
      const error = `400::Client ${client.id} has established a session, but no ${COOKIE} cookie present`;
      return [failure(message, error, { clientId: client.id })];
    }
    switch (message.channel) {
      case '/meta/connect':
        return connect(client, message, visit.socket);
      case '/meta/subscribe':
        return [subscribe(client, message)];
      case '/meta/unsubscribe':
        return [unsubscribe(client, message)];
      case '/meta/disconnect':
        clients.remove(client);
        return [success(message)];
      default:
        return [failure(message, '403::Subscribers cannot publish')];
    }
  }

  function handshake(message: Message, { token }: Visit): Answer {
    if (token === null) return json(200, [unauthorized(message)]);
    if (!message.connectionTypes.includes('long-polling')) {
      const error = `400::Invalid connection type ${message.connectionTypes.join(', ')}`;
      return json(200, [failure(message, error, { advice: { reconnect: 'none' } })]);
    }
    const client = clients.open(token);
    const fields = {
      ext: { replay: true, 'payload.format': true },
      minimumVersion: '1.0',
      clientId: client.id,
      supportedConnectionTypes: ['long-polling'],
      version: '1.0',
    };
    // Not `Secure`, as Salesforce has it: this org speaks plain http.
    const cookie = `${COOKIE}=${client.browser}; Path=/; HttpOnly`;
    return json(200, [success(message, fields)], { 'set-cookie': cookie });
  }

  return {
    async answer(visit) {
      checkAddress(visit);
      const messages = visit.body.length > LONGEST_BODY ? null : readMessages(visit.body);
      if (messages === null) throw new ApiError('JSON_PARSER_ERROR', 'These are no messages.');
      const [first] = messages;
      if (first?.channel === '/meta/handshake') return handshake(first, visit);
      const answers: Outgoing[] = [];
      for (const message of messages) answers.push(...(await answerTo(message, visit)));
      return json(200, answers);
    },
    forgetClients: clients.forget,
    get polling() {
      return clients.polling;
    },
  };
}

function checkAddress({ method, path }: Visit): void {
  const version = /^\/cometd\/(\d+)\.0$/.exec(path)?.[1];
  const format = `URI format: '/cometd/${LAST_VERSION}.0'`;
  if (version === undefined) {
    throw new ApiError('BAD_REQUEST', `API version in the URI is mandatory. ${format}`);
  }
  if (Number(version) < FIRST_VERSION || Number(version) > LAST_VERSION) {
    const versions = `Only API versions '${FIRST_VERSION}.0' and later are supported.`;
    throw new ApiError('BAD_REQUEST', `Unsupported API version. ${versions} ${format}`);
  }
  if (method !== 'POST') throw methodNotAllowed(method, ['POST']);
}
