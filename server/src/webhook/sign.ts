import { createHmac } from 'node:crypto';

/** Standard Webhooks: the key is base64 behind the prefix `whsec_`, 24 to 64 bytes of it. */
export function parseSecret(text: string): Buffer | null {
  const encoded = text.startsWith('whsec_') ? text.slice('whsec_'.length) : text;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return null;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= 24 && key.length <= 64 ? key : null;
}

/** The value of the header `webhook-signature`. `timestamp` is in seconds since 1970. */
export function sign(secret: Buffer, id: string, timestamp: number, body: string): string {
  const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return `v1,${hmac}`;
}
