import { createConsole } from '@millrace/simulator-kit';

export const { home, page, nothingHere } = createConsole('Salesforce simulator', [
  ['/_sim/', 'Org'],
  ['/_sim/files', 'Files'],
  ['/_sim/calls', 'Calls'],
]);
