import { type SecretBox, type SecretKey, createSecretBox } from '@millrace/workload-kit';

/** Keeps tokens of callers, each bound to the job that it was given for. Without a key no report may keep one. */
export type TokenBox = SecretBox;

export function createTokenBox(keys: readonly SecretKey[]): TokenBox {
  return createSecretBox({
    keys,
    setting: 'REPORTS_TOKEN_KEYS',
    purpose: 'millrace report token',
  });
}

/** When a token ends by its own word, in milliseconds since 1970; null: it is no JWT, or does not say. It was verified before. */
export function endOfToken(token: string): number | null {
  const [, payload = ''] = token.split('.');
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1_000 : null;
  } catch {
    return null;
  }
}
