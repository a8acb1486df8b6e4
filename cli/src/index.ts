export { commands, main } from './main.ts';
