import { createRoute, createRouter } from '@tanstack/react-router';
import type { App } from './data/client.ts';
import { documentRoutes } from './pages/documents/routes.tsx';
import { jobRoutes } from './pages/jobs/routes.tsx';
import { operationsRoutes } from './pages/operations/routes.tsx';
import { overviewRoutes } from './pages/overview/routes.tsx';
import { pipelineRoutes } from './pages/pipelines/routes.tsx';
import { queryRoutes } from './pages/queries/routes.tsx';
import { reportRoutes } from './pages/reports/routes.tsx';
import { welcomeRoutes } from './pages/welcome/routes.tsx';
import { rootRoute, shellRoute } from './routes.tsx';
import { parseSearch, stringifySearch } from './shell/address.ts';
import { NotFound, PageTrouble } from './shell/Fallbacks.tsx';

/** Unknown addresses keep the navigation. No link leads there, so the types of links do not include it. */
const nowhere = [
  createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFound }),
] as unknown as readonly [];

const routeTree = rootRoute.addChildren([
  shellRoute.addChildren([
    ...overviewRoutes,
    ...jobRoutes,
    ...documentRoutes,
    ...queryRoutes,
    ...reportRoutes,
    ...pipelineRoutes,
    ...operationsRoutes,
    ...welcomeRoutes,
    ...nowhere,
  ]),
]);

export function makeRouter(app: App) {
  return createRouter({
    routeTree,
    basepath: import.meta.env.BASE_URL,
    context: { app },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // Answers are cached by the query client, which knows when they are old.
    defaultPreloadStaleTime: 0,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: PageTrouble,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
