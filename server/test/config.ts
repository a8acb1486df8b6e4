import { readConfig } from '../src/config/config.ts';
import { ConfigError } from '../src/config/error.ts';

/** An issuer, as the environment names it. */
export const ISSUER = {
  ISSUER: 'https://login.example/t/v2.0',
  AUDIENCE: 'api://millrace, 1f0c5e0a',
  JWKS_URI: 'https://login.example/t/keys',
};

/** What is wrong with these settings, if anything. */
export function problems(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
