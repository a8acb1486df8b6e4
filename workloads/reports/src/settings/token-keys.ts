import { z } from 'zod';
import { entriesOf } from '@millrace/workload-kit';
import type { TokenKey } from '../identity/tokens.ts';

const ENTRY = /^([A-Za-z0-9_-]{1,20})=([A-Za-z0-9+/]{43}=)$/;

export const tokenKeys = z.string().transform((value, context): TokenKey[] => {
  const keys = entriesOf(value).flatMap((entry) => {
    const [, id, key] = ENTRY.exec(entry) ?? [];
    return id === undefined || key === undefined ? [] : [{ id, key: Buffer.from(key, 'base64') }];
  });
  const isWhole = keys.length === entriesOf(value).length;
  if (isWhole && new Set(keys.map(({ id }) => id)).size === keys.length) return keys;
  const message =
    'Write id=KEY, each id once, where KEY is 32 bytes in base64: openssl rand -base64 32 makes one.';
  context.issues.push({ code: 'custom', input: '', message });
  return z.NEVER;
});
