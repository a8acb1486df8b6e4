import { createConsole } from '@millrace/simulator-kit';

export const { home, page, nothingHere } = createConsole('Marketing Cloud simulator', [
  ['/_sim/', 'Account'],
  ['/_sim/tasks', 'Tasks'],
  ['/_sim/calls', 'Calls'],
]);
