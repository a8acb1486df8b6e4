// LibreOfficeKit with one of the layers that keep it from reaching out, or with none: converts and dies.
//
//   node layer.mjs <library> <folder> <profile: ours|plain> <sandbox: on|off>
//
// `folder` holds in.docx, and `profile` when it is ours.

import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openKit } from '../dist/kit.js';
import { enterSandbox } from '../dist/sandbox.js';

const [library = '', folder = '', profile = '', sandbox = ''] = process.argv.slice(2);
const program = dirname(library);
if (sandbox === 'on') {
  const way = /** @type {const} */ ('kit');
  const network = enterSandbox({
    way,
    program,
    library,
    soffice: null,
    folder,
    memoryMb: 1_024,
    parent: process.ppid,
  });
  if (!network.includes('filter')) throw new Error('There is no filter.');
}
const place = profile === 'ours' ? 'profile' : 'plain';
const kit = openKit({ library, program, profileUrl: pathToFileURL(`${folder}/${place}`).href });
const document = kit.open(pathToFileURL(`${folder}/in.docx`).href);
document.saveAs(pathToFileURL(`${folder}/out.pdf`).href, 'pdf', '');
process.kill(process.pid, 'SIGKILL');
