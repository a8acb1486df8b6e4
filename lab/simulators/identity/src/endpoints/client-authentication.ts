import { isPublic } from '../directory.ts';
import type { Incoming, Params } from '../http.ts';
import { sameSecret } from '../identifiers.ts';
import type { Issuer } from '../issuer.ts';
import type { Client } from '../options.ts';
import { Refusal } from '../refusal.ts';

/** Who calls: by HTTP Basic, by a secret in the form, or, without a secret, by its word alone. */
export function authenticate({ directory }: Issuer, { headers }: Incoming, params: Params): Client {
  const basic = basicCredentials(headers.authorization);
  if (basic !== null && params.has('client_secret')) {
    throw new Refusal('invalid_request', 'Send the secret once: in the header or in the body.');
  }
  if (basic !== null && params.has('client_id') && params.get('client_id') !== basic.id) {
    throw new Refusal('invalid_request', 'The header and the body name different clients.');
  }
  const client = directory.client(basic?.id ?? params.get('client_id'));
  const secret = basic?.secret ?? params.get('client_secret');
  if (client === undefined) throw unknown('There is no such client.');
  if (isPublic(client)) {
    if (secret === undefined || secret === '') return client;
    throw unknown('This client is public: it has no secret to send.');
  }
  if (secret === undefined) throw unknown('This client has to send its secret.');
  if (!sameSecret(secret, client.secret ?? '')) throw unknown('The secret is wrong.');
  return client;
}

/** Both halves are form-encoded before they are joined (RFC 6749, 2.3.1). */
function basicCredentials(header: string | undefined): { id: string; secret: string } | null {
  if (header === undefined) return null;
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  if (encoded === undefined) throw unknown('The authorization header is not HTTP Basic.');
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) throw unknown('HTTP Basic needs a colon.');
  try {
    return { id: formDecoded(id), secret: formDecoded(secret) };
  } catch {
    throw unknown('The id and the secret in HTTP Basic have to be form-encoded.');
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function unknown(message: string): Refusal {
  return new Refusal('invalid_client', message, 401);
}
