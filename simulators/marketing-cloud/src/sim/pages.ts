import type { IncomingMessage } from 'node:http';
import {
  type Answer,
  complaint,
  createConsole,
  createInside,
  faultsSection,
  html,
} from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';

const { page, nothingHere } = createConsole('Marketing Cloud simulator', [['/_sim/', 'Account']]);

/** Everything below `/_sim/`. */
export function createPages(cloud: Cloud): (request: IncomingMessage, body: Buffer) => Answer {
  return createInside({
    faults: cloud.faults,
    home: (wrong) =>
      page({
        title: 'Account',
        place: '/_sim/',
        status: wrong === null ? 200 : 400,
        content: html`<h1>Account</h1>
          ${complaint(wrong)}${faultsSection(cloud.faults)}`,
      }),
    nothingHere,
  });
}
