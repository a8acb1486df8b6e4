// LibreOfficeKit with one of the layers that keep it from reaching out, or with none: converts and dies.
//
//   node layer.mjs <library> <folder> <document> <profile: ours|plain> <sandbox: on|off> <options: ours|reckless>
//
// `folder` holds the document, and `profile` when it is ours.

import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openKit } from '../dist/kit.js';
import { enterSandbox } from '../dist/sandbox.js';

const [library = '', folder = '', name = '', profile = '', sandbox = '', options = ''] =
  process.argv.slice(2);
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
const kit = openKit({
  library,
  program,
  profileUrl: pathToFileURL(`${folder}/${place}`).href,
  ...(options === 'reckless' && {
    loadOptions: 'Batch=true,EnableMacrosExecution=true,MacroSecurityLevel=0',
  }),
});
const document = kit.open(pathToFileURL(`${folder}/${name}`).href);
document.saveAs(pathToFileURL(`${folder}/out.pdf`).href, 'pdf', '');
process.kill(process.pid, 'SIGKILL');
