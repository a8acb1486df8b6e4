export { followSteps } from './step/follow.ts';
