import { ApiError, type Client, type Me, TENANT_HEADER, createClient } from '@millrace/api';
import { QueryClient } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Session } from '../session/session.ts';

/** What every page stands on. Made once, before the first render. */
export interface App {
  readonly session: Session;
  readonly api: Client;
  readonly queries: QueryClient;
  /** The tenant that calls are narrowed to; null: all of the caller's. */
  tenant: string | null;
}

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
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        if (app.tenant !== null) headers.set(TENANT_HEADER, app.tenant);
        return fetch(input, { ...init, headers });
      },
    }),
  };
  return app;
}

/** Worth another try: the line broke, or the service said that it is its own fault. */
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
