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

type Message =
  | { readonly type: 'ask' }
  | { readonly type: 'answer'; readonly tokens: Tokens }
  | { readonly type: 'give'; readonly tokens: Tokens }
  | { readonly type: 'end' };

/** To the other tabs: a renewed session or a sign-in in a pop-up, or that the person has signed out. */
export interface Sharing {
  give(tokens: Tokens): void;
  end(): void;
}

/** Answers tabs that ask, and hears what the others share. */
export function shareTokens(on: {
  given(tokens: Tokens): void;
  answered(tokens: Tokens): void;
  ended(): void;
}): Sharing {
  const channel = new BroadcastChannel(CHANNEL);
  const send = (message: Message): void => channel.postMessage(message);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'give') return on.given(data.tokens);
    if (data.type === 'end') return on.ended();
    if (data.type === 'answer') return on.answered(data.tokens);
    const tokens = readTokens();
    if (tokens !== null) send({ type: 'answer', tokens });
  });
  return { give: (tokens) => send({ type: 'give', tokens }), end: () => send({ type: 'end' }) };
}

/** Long enough for a tab on a busy machine; a person who has no other tab waits it once. */
const ANSWER_MS = 150;

/** `besides`: a refresh token that is no good any more. This tab's own answer has it too. */
export function askOtherTabs(besides: string | null = null): Promise<Tokens | null> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    const end = (tokens: Tokens | null): void => {
      channel.close();
      resolve(tokens);
    };
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.type !== 'answer' && data.type !== 'give') return;
      if (besides === null || data.tokens.refresh !== besides) end(data.tokens);
    });
    channel.postMessage({ type: 'ask' } satisfies Message);
    setTimeout(() => end(null), ANSWER_MS);
  });
}
