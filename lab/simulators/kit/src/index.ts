export { type Answer, json, redirect } from './answer.ts';
export { clockSection } from './clock.ts';
export { type Clock, createClock } from './clock.ts';
export {
  type Console,
  type ConsoleHome,
  type ConsolePage,
  complaint,
  createConsole,
} from './console.ts';
export { type FaultRules, type FaultSpec } from './fault-rules.ts';
export { faultsSection } from './faults-section.ts';
export { type Fault, type FaultBoard, type Faults, type Strikes, createFaults } from './faults.ts';
export { type Frame, createFrame } from './frame.ts';
export { GATEWAY_STATUS, gatewayPage } from './gateway.ts';
export { isOwnPage } from './guard.ts';
export { type Html, html } from './html.ts';
export { type InsideParts, createInside, isInside } from './inside.ts';
export { inUrl, isLoopbackName, isLoopbackOrigin, parseUrl } from './loopback.ts';
export {
  type Place,
  checkDistinct,
  checkWholeNumbers,
  invalidOption,
  settlePlace,
} from './options.ts';
export { type Random, seededRandom } from './faults.ts';
export { type Site, type SiteOptions, openSite } from './site.ts';
export { BASE_STYLE } from './style.ts';
