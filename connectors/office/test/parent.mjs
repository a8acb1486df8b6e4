// A service with an office that is about to be killed: prints its office's processes once they are busy.
//
//   node parent.mjs <workdir> <document> [<where LibreOffice is>]

import { readFileSync } from 'node:fs';
import { openOffice } from '../dist/index.js';

const [workdir = '', file = '', officePath] = process.argv.slice(2);
const log = { info() {}, warn() {}, error() {} };
const office = await openOffice({ slots: 1, workdir, log, ...(officePath && { officePath }) });
await office.check();
void office.convert(readFileSync(file));
console.log(JSON.stringify(office.stats().processes.map(({ pid }) => pid)));
