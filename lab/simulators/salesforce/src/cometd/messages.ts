import { isObject } from '../rest/request.ts';

/** A message of the Bayeux protocol, as a client sends it. */
export interface Message {
  readonly channel: string;
  readonly id?: unknown;
  readonly clientId: string;
  readonly subscription: unknown;
  readonly connectionTypes: readonly unknown[];
  /** By channel: -1 new events alone, -2 all that are kept, else those after this number. */
  readonly replay: Readonly<Record<string, unknown>>;
}

export type Outgoing = Readonly<Record<string, unknown>>;

/** One message or a list of them. Null: it is neither. */
export function readMessages(body: Buffer): Message[] | null {
  const parsed = parsedOrNull(body);
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const messages = list.filter(isObject);
  return messages.length === list.length && list.length > 0 ? messages.map(messageOf) : null;
}

function parsedOrNull(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

function messageOf(raw: Readonly<Record<string, unknown>>): Message {
  const { channel, id, clientId, subscription, supportedConnectionTypes: types } = raw;
  const ext = isObject(raw['ext']) ? raw['ext'] : {};
  return {
    channel: typeof channel === 'string' ? channel : '',
    ...(id !== undefined && { id }),
    clientId: typeof clientId === 'string' ? clientId : '',
    subscription,
    connectionTypes: Array.isArray(types) ? types : [],
    replay: isObject(ext['replay']) ? ext['replay'] : {},
  };
}

export function success({ channel, id, clientId }: Message, more: Outgoing = {}): Outgoing {
  return {
    ...(clientId !== '' && { clientId }),
    ...more,
    channel,
    ...(id !== undefined && { id }),
    successful: true,
  };
}

export function failure({ channel, id }: Message, error: string, more: Outgoing = {}): Outgoing {
  return { ...more, channel, ...(id !== undefined && { id }), error, successful: false };
}

/** A handshake is denied; what comes later is reported outright. */
export function unauthorized(message: Message): Outgoing {
  const reason = '401::Authentication invalid';
  if (message.channel !== '/meta/handshake') {
    return failure(message, reason, {
      clientId: message.clientId,
      advice: { reconnect: 'none', interval: 0 },
    });
  }
  return failure(message, '403::Handshake denied', {
    ext: { sfdc: { failureReason: reason }, replay: true, 'payload.format': true },
    advice: { reconnect: 'none' },
  });
}

export function unknownClient(message: Message): Outgoing {
  return failure(message, '403::Unknown client', {
    advice: { interval: 0, reconnect: 'handshake' },
  });
}
