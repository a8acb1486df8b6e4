import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FIELD_NAMES } from '@millrace/store-salesforce';
import { durationSetting as duration, entriesOf, list, wholeNumber } from '@millrace/workload-kit';
import { z } from 'zod';
import { parseSecret } from '../webhook/sign.ts';
import { isLoopbackHost } from '../webhook/address.ts';
import { bare, parseAllowedHost } from '../webhook/url.ts';

/** The formats of settings. Messages never repeat the value, which may be a secret. */

const pool = z.strictObject({
  name: z.string().min(1).max(100),
  kinds: z.array(z.string()).min(1),
  concurrency: z.int().min(1).max(10_000).optional(),
  batch: z.int().min(1).max(1_000).optional(),
  interval: z.strictObject({ active: duration, idle: duration }).optional(),
  minPriority: z.int().min(-1_000).max(1_000).optional(),
  pauseWindows: z
    .array(z.strictObject({ cron: z.string(), timeZone: z.string().optional(), lasts: duration }))
    .optional(),
});

export const tenant = z.string().max(100, { error: 'Write up to 100 characters.' });

/** A comma alone is a list of nobody: whom a token may be from, or for. */
export const someOf = list.refine((entries) => entries.length > 0, {
  error: 'Write at least one, several separated by commas.',
});

/** Node never comes back from making a folder below /proc. */
export const dataFolder = z.string().refine((value) => !/^\/proc(\/|$)/.test(resolve(value)), {
  error: 'Write a folder on a disk: /proc cannot hold files.',
});

export const port = wholeNumber(0, 65_535);

export const webAddress = z
  .string()
  .refine((value) => protocolOf(value) !== null, { error: 'Write a URL with https or http.' });

/** An address whose answers are trusted: plain HTTP only within this machine. */
export const trustedAddress = z
  .string()
  .refine(
    (value) =>
      protocolOf(value) === 'https:' ||
      (protocolOf(value) === 'http:' && isLoopbackHost(bare(new URL(value).hostname))),
    { error: 'Write a URL with https; http only for localhost.' },
  );

export const redisUrl = z
  .string()
  .refine((value) => /^rediss?:\/\//.test(value) && URL.canParse(value), {
    error: 'Write a URL such as redis://user:password@host:6379, or rediss:// with TLS.',
  });

export const redisPrefix = z
  .string()
  .regex(/^[\w.-]{1,64}$/, { error: 'Write letters, digits, dots, dashes and underscores.' });

export const apiVersion = z
  .string()
  .regex(/^\d{2,3}\.0$/, { error: 'Write a version such as 59.0.' });

/** A path, or the key itself, whose lines may have come as \n through an environment file. */
export const privateKey = z.string().transform((value, context) => {
  try {
    const pem = value.includes('-----BEGIN') ? value.replaceAll('\\n', '\n') : readFileSync(value);
    return createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    const message =
      'Write the path of a private key in PEM, without a passphrase, or the PEM itself.';
    context.issues.push({ code: 'custom', input: '', message });
    return z.NEVER;
  }
});

const fieldNames = z.strictObject({
  document: z.string().min(1).optional(),
  ...Object.fromEntries(FIELD_NAMES.map((name) => [name, z.string().min(1).optional()])),
});

const org = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,29}$/, { error: 'Write up to 30 lower-case letters and digits.' }),
  loginUrl: trustedAddress.optional(),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  username: z.string().min(1).optional(),
  privateKey: privateKey.optional(),
  apiVersion: apiVersion.optional(),
  tenant: tenant.optional(),
  purgeRequests: z.boolean().optional(),
  namespace: z.string().min(1).optional(),
  fields: fieldNames.optional(),
});
export type OrgSetting = z.output<typeof org>;

export const salesforceFields = json(fieldNames);
export const orgs = json(z.array(org));
export const pools = json(z.array(pool));

function json<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform((value, context): z.output<Schema> => {
    const given = jsonOf(value);
    if (given === undefined) {
      const message = 'Write JSON; this is not.';
      context.issues.push({ code: 'custom', input: '', message });
      return z.NEVER;
    }
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const where = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
      const message = `${where}${issue.message.replace(/[^.]$/, '$&.')}`;
      // A name that there is not is where to look, and not what it stands in.
      const misspelt = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
      const path = [...issue.path, ...misspelt];
      context.issues.push({ code: 'custom', input: '', message, path });
    }
    return z.NEVER;
  });
}

export const webhookSecret = z.string().transform((value, context) => {
  const key = parseSecret(value);
  if (key !== null) return key;
  const message =
    'Write "whsec_" and 24 to 64 random bytes in base64; "openssl rand -base64 32" makes them.';
  context.issues.push({ code: 'custom', input: '', message });
  return z.NEVER;
});

export const allowedHosts = z.string().transform((value, context) =>
  entriesOf(value).flatMap((entry) => {
    const host = parseAllowedHost(entry);
    if (host !== null) return [host];
    const message = `"${entry}" is not a host. Write names or addresses, each with a port if you like, separated by commas.`;
    context.issues.push({ code: 'custom', input: value, message });
    return [];
  }),
);

function protocolOf(value: string): 'https:' | 'http:' | null {
  const protocol = URL.canParse(value) ? new URL(value).protocol : '';
  return protocol === 'https:' || protocol === 'http:' ? protocol : null;
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
