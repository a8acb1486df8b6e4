import { createClient } from '@millrace/api';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './theme/theme.css';
import { AppContext, MeContext, createApp } from './data/client.ts';
import { applyEvents } from './live/apply.ts';
import { openLive } from './live/stream.ts';
import { LiveContext } from './live/useLive.ts';
import { makeRouter } from './router.tsx';
import { CALLBACK, type Session, openSession } from './session/session.ts';
import { SignInPage } from './shell/SignInPage.tsx';
import { Trouble } from './ui/trouble.tsx';

const element = document.getElementById('root');
if (element === null) throw new Error('the page has no root');
const root = createRoot(element);

/** The query of the link that `npm start` prints: its issuer already knows the person, so no button is needed. */
const ENTER = '?enter';

/** Loads identity and permissions first, then the pages. */
async function start(): Promise<void> {
  const session = await openSession(await createClient({ baseUrl: location.origin }).signIn());
  if (location.search === ENTER && !session.isSignedIn())
    return session.signIn({ returnTo: location.pathname });
  const wrong = location.pathname === CALLBACK ? await completeSignIn(session) : null;
  if (location.search === ENTER) history.replaceState(null, '', location.pathname);
  if (wrong !== null || !session.isSignedIn()) return askToSignIn(session, wrong);
  const app = createApp(session);
  // A session that was kept may have ended meanwhile.
  const unwatch = session.watch((signedIn) => !signedIn && askToSignIn(session));
  const me = await app.api.me();
  unwatch();
  const live = openLive(app.api, app.tenant);
  live.watch(applyEvents(app.queries));
  root.render(
    <StrictMode>
      <AppContext value={app}>
        <MeContext value={me}>
          <LiveContext value={live}>
            <QueryClientProvider client={app.queries}>
              <RouterProvider router={makeRouter(app)} />
            </QueryClientProvider>
          </LiveContext>
        </MeContext>
      </AppContext>
    </StrictMode>,
  );
}

function askToSignIn(session: Session, wrong: string | null = null): void {
  // Signed in by another tab meanwhile: this one is where the person wanted to go.
  session.watch((signedIn) => signedIn && location.reload());
  const here = location.pathname + location.search;
  const returnTo = location.pathname === CALLBACK ? import.meta.env.BASE_URL : here;
  root.render(
    <SignInPage session={session} returnTo={returnTo} {...(wrong !== null && { wrong })} />,
  );
}

/** Null when it went well: the address is then the one that the person wanted. */
async function completeSignIn(session: Session): Promise<string | null> {
  try {
    const target = await session.complete(new URLSearchParams(location.search));
    history.replaceState(null, '', target);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function failed(error: unknown): void {
  root.render(
    <main className="mx-auto max-w-140 p-6">
      <Trouble error={error} retry={() => location.reload()} />
    </main>,
  );
}

start().catch(failed);
