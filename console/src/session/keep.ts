import { z } from 'zod';
import type { Tokens } from './issuer.ts';

const KEY = 'millrace.session';
const CHANNEL = 'millrace.session';

const kept = z.object({
  access: z.string(),
  refresh: z.string().nullable(),
  expiresAt: z.number(),
});

/**
 * A session lives as long as its tab, across reloads. A new tab asks the others for it, so that a link that is opened
 * beside does not end at a sign-in; nothing of it is ever written to disk.
 */
export function readTokens(): Tokens | null {
  const text = sessionStorage.getItem(KEY);
  if (text === null) return null;
  const parsed = kept.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
}

export function writeTokens(tokens: Tokens | null): void {
  if (tokens === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(tokens));
}

type Message = { readonly type: 'ask' } | { readonly type: 'give'; readonly tokens: Tokens };

/** Answers tabs that ask, and takes what another tab gives: a renewed session, or a sign-in in a pop-up. */
export function shareTokens(onGiven: (tokens: Tokens) => void): (tokens: Tokens) => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'give') return onGiven(data.tokens);
    const tokens = readTokens();
    if (tokens !== null) channel.postMessage({ type: 'give', tokens } satisfies Message);
  });
  return (tokens) => channel.postMessage({ type: 'give', tokens } satisfies Message);
}

/** Long enough for a tab on a busy machine; a person who has no other tab waits it once. */
const ANSWER_MS = 150;

export function askOtherTabs(): Promise<Tokens | null> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    const end = (tokens: Tokens | null): void => {
      channel.close();
      resolve(tokens);
    };
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.type === 'give') end(data.tokens);
    });
    channel.postMessage({ type: 'ask' } satisfies Message);
    setTimeout(() => end(null), ANSWER_MS);
  });
}
