import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '@millrace/simulator-kit';
import { createBoundedMap } from './bounded-map.ts';
import { randomSecret } from './identifiers.ts';
import type { User } from './options.ts';

const LASTS_MS = 24 * 3_600_000;
const COOKIE = 'sandbox_signed_in';

/** Who is signed in with which browser, as Entra's own session remembers it: the next sign-in then asks nothing. */
export interface Remembered {
  find(headers: IncomingHttpHeaders): User | undefined;
  /** The same answer, which also makes the browser remember. */
  remember(user: User, answer: Answer): Answer;
  forget(headers: IncomingHttpHeaders, answer: Answer): Answer;
}

export function createRemembered(now: () => number): Remembered {
  const users = createBoundedMap<User>({ most: 1_000, lifetimeMs: LASTS_MS, now });
  return {
    find: (headers) => users.get(idIn(headers)),
    remember(user, answer) {
      const id = randomSecret();
      users.set(id, user);
      return withCookie(answer, `${id}; Max-Age=${LASTS_MS / 1000}`);
    },
    forget(headers, answer) {
      users.delete(idIn(headers));
      return withCookie(answer, '; Max-Age=0');
    },
  };
}

function idIn({ cookie = '' }: IncomingHttpHeaders): string {
  const found = cookie.split(/; */).find((each) => each.startsWith(`${COOKIE}=`));
  return found?.slice(COOKIE.length + 1) ?? '';
}

/** Lax: it comes along when a page of another port sends the browser here, and not with what such a page posts. */
function withCookie(answer: Answer, value: string): Answer {
  const cookie = `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax`;
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
}
