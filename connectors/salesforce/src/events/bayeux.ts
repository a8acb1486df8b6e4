import { type Answer, type Wire, createDeadline } from '@millrace/http';
import type { Session } from '../calls/token.ts';
import { peer } from '../errors.ts';
import { readCookies } from './bayeux-cookies.ts';

/**
 * The messages of the Streaming API (Bayeux 1.0 over long polling). One client is one handshake: what Salesforce then says of
 * it, its cookies included, holds until the next.
 */
export interface BayeuxClient {
  handshake(): Promise<Reply>;
  /** New events alone. */
  subscribe(channel: string): Promise<Reply>;
  /** Waits until there are events or the server's time is up. */
  connect(): Promise<Reply>;
}

export interface Reply {
  readonly successful: boolean;
  /** Such as '403::Unknown client'. Empty when Salesforce gave none. */
  readonly error: string;
  readonly reconnect: 'retry' | 'handshake' | 'none' | null;
  /** How long to wait before the next connect. */
  readonly intervalMs: number;
  /** The `data` of events that came along, by any channel that was subscribed to. */
  readonly events: readonly unknown[];
}

export interface BayeuxParams {
  readonly wire: Wire;
  readonly session: Session;
  readonly apiVersion: string;
  /** Of a handshake and a subscription. A long poll has its own. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Message = Readonly<Record<string, unknown>>;

/** Salesforce ends a long poll after 110 s, and says so; the rest is for its way. */
const LONG_POLL_MS = 110_000;
const LONGEST_POLL_MS = 600_000;
const GRACE_MS = 20_000;
const LONGEST_INTERVAL_MS = 300_000;
/** An event has 1 MB at most, a hint some hundred bytes; an answer may hold several. */
const LARGEST_ANSWER = 4 * 1024 * 1024;

export function createBayeuxClient(params: BayeuxParams): BayeuxClient {
  const { session, timeoutMs } = params;
  const cookies = new Map<string, string>();
  let clientId = '';
  let longPollMs = LONG_POLL_MS;
  let ids = 0;

  async function send(channel: string, fields: Message, ms: number): Promise<Reply> {
    ids += 1;
    const id = String(ids);
    const message = { id, channel, ...(clientId !== '' && { clientId }), ...fields };
    const body = Buffer.from(JSON.stringify([message]));
    const deadline = createDeadline({ ms, signal: params.signal });
    try {
      const answer = await params.wire.send(
        {
          origin: session.origin,
          method: 'POST',
          path: `/cometd/${params.apiVersion}`,
          headers: {
            'content-type': 'application/json',
            'content-length': String(body.length),
            accept: 'application/json',
            authorization: `Bearer ${session.token}`,
            ...(cookies.size > 0 && { cookie: cookieHeader(cookies) }),
          },
          body,
        },
        deadline,
      );
      readCookies(answer.headers['set-cookie'] ?? '', cookies);
      const bytes = await answer.bytes(LARGEST_ANSWER);
      return replyOf(answer, messagesOf(bytes), channel);
    } finally {
      deadline.clear();
    }
  }

  function replyOf(answer: Answer, messages: readonly Message[], channel: string): Reply {
    const reply = messages.find((message) => message['channel'] === channel);
    if (reply === undefined && answer.status !== 401)
      throw peer.invalidAnswer(
        `The Streaming API answered ${answer.status} and not in its own protocol.`,
        answer.status,
      );
    const told = reply ?? { error: '401::Unauthorized' };
    if (typeof told['clientId'] === 'string') clientId = told['clientId'];
    const { reconnect, interval, timeout } = objectOf(told['advice']);
    if (typeof timeout === 'number' && timeout > 0) longPollMs = Math.min(timeout, LONGEST_POLL_MS);
    return {
      successful: told['successful'] === true,
      error: reasonOf(told),
      reconnect:
        reconnect === 'retry' || reconnect === 'handshake' || reconnect === 'none'
          ? reconnect
          : null,
      intervalMs:
        typeof interval === 'number' ? Math.min(Math.max(interval, 0), LONGEST_INTERVAL_MS) : 0,
      events: messages.flatMap((message) =>
        String(message['channel']).startsWith('/meta/') || message['data'] === undefined
          ? []
          : [message['data']],
      ),
    };
  }

  return {
    handshake: () =>
      send(
        '/meta/handshake',
        { version: '1.0', minimumVersion: '1.0', supportedConnectionTypes: ['long-polling'] },
        timeoutMs,
      ),
    subscribe: (channel) =>
      send(
        '/meta/subscribe',
        { subscription: channel, ext: { replay: { [channel]: -1 } } },
        timeoutMs,
      ),
    connect: () => send('/meta/connect', { connectionType: 'long-polling' }, longPollMs + GRACE_MS),
  };
}

/** Another token is needed. A handshake that is denied has the reason inside. */
export function isSessionRefused({ error }: Reply): boolean {
  return error.startsWith('401');
}

/** Salesforce does not know this client any more, which happens every few hours. */
export function needsHandshake({ error, reconnect }: Reply): boolean {
  return reconnect === 'handshake' || error.startsWith('403::Unknown client');
}

function reasonOf({ error, ext }: Message): string {
  const { failureReason } = objectOf(objectOf(ext)['sfdc']);
  const reason = typeof failureReason === 'string' ? failureReason : error;
  return typeof reason === 'string' ? reason.slice(0, 300) : '';
}

function messagesOf(bytes: Buffer): Message[] {
  try {
    const parsed = JSON.parse(bytes.toString('utf8')) as unknown;
    return Array.isArray(parsed) ? parsed.map(objectOf) : [];
  } catch {
    return [];
  }
}

function objectOf(value: unknown): Message {
  return typeof value === 'object' && value !== null ? (value as Message) : {};
}

function cookieHeader(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}
