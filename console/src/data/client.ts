import { ApiError, type Client, type Me, TENANT_HEADER, createClient } from '@millrace/api';
import { QueryClient, notifyManager } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Session } from '../session/session.ts';
import { learnClock } from '../time/now.ts';

/** Dependencies of every page. Created once, before the first render. */
export interface App {
  readonly session: Session;
  readonly api: Client;
  readonly queries: QueryClient;
  /** The tenant that calls are narrowed to; null: all of the caller's. */
  readonly tenant: string | null;
}

// Notifies before the next click: by default a timer delays it, and a double click on "Run" would run twice.
notifyManager.setScheduler(queueMicrotask);

export function createApp(session: Session): App {
  const app: App = {
    session,
    tenant: sessionStorage.getItem('millrace.tenant'),
    queries: new QueryClient({
      defaultOptions: {
        // Live events say when something has changed; the rest is old after half a minute.
        queries: { staleTime: 30_000, retry: (count, error) => count < 2 && isTemporary(error) },
        mutations: { retry: false },
      },
    }),
    api: createClient({
      baseUrl: location.origin,
      token: () => session.token(),
      fetch: async (input, init) => {
        const headers = new Headers(init?.headers);
        if (app.tenant !== null) headers.set(TENANT_HEADER, app.tenant);
        const send = async (): Promise<Response> => {
          const response = await fetch(input, { ...init, headers }).catch(notAnswered);
          learnClock(response.headers.get('date'));
          return response;
        };
        const response = await send();
        if (response.status !== 401) return response;
        return (await hasOtherToken(session, headers, init?.method)) ? send() : response;
      },
    }),
  };
  return app;
}

/**
 * After a call was refused: puts another token into its headers. Where the session has ended, what only reads waits until somebody
 * signs in again, so that the page keeps what it shows and what was typed into it. What changes something is refused: who
 * signs in may be somebody else.
 */
async function hasOtherToken(session: Session, headers: Headers, method = 'GET'): Promise<boolean> {
  const before = headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
  session.refused(before);
  let token = await session.token().catch(() => null);
  if (!session.isSignedIn() && method === 'GET') {
    await session.again();
    token = await session.token();
  }
  if (token === null || token === before) return false;
  headers.set('authorization', `Bearer ${token}`);
  return true;
}

/** Browsers say "Failed to fetch" or "NetworkError", which helps nobody. */
function notAnswered(error: unknown): never {
  if (!(error instanceof TypeError)) throw error;
  throw new Error('The server did not answer. Check that Millrace is running and reachable.', {
    cause: error,
  });
}

/** Whether a retry may help: the connection broke, or the server reported a temporary error. */
export function isTemporary(error: unknown): boolean {
  return !(error instanceof ApiError) || error.problem.status >= 500;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = use(AppContext);
  if (app === null) throw new Error('no app above this component');
  return app;
}

export function useApi(): Client {
  return useApp().api;
}

export const MeContext = createContext<Me | null>(null);
