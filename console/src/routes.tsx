import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import type { App } from './data/client.ts';
import { Shell } from './shell/Shell.tsx';

/** The context of routes before a component renders. */
export interface RouteContext {
  readonly app: App;
}

export const rootRoute = createRootRouteWithContext<RouteContext>()();

/** Everything that is for people who are signed in. The areas in `pages/` hang their routes here. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
});
