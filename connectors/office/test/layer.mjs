// LibreOfficeKit with some of the layers that keep it from reaching out, or with none: converts and dies. Its one argument is an
// `Order` of layers.ts; `folder` holds the documents, and `profile` when it is ours.

import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import koffi from 'koffi';
import { openKit } from '../dist/program/kit.js';
import { restrictFiles } from '../dist/sandbox/landlock.js';
import { installFilter } from '../dist/sandbox/seccomp.js';

const PR_SET_NO_NEW_PRIVS = 38;

/** @type {import('./layers.ts').Order} */
const { library, folder, names, reach, ...layers } = JSON.parse(process.argv[2] ?? '');
if (layers.network === 'closed' && !installFilter('strict')) throw new Error('There is no filter.');
if (layers.disk === 'closed') {
  koffi.load(null).func('int prctl(int, ulong, ulong, ulong, ulong)')(
    PR_SET_NO_NEW_PRIVS,
    1,
    0,
    0,
    0,
  );
  // For this thread, which is the one that loads LibreOffice.
  const version = restrictFiles({ ...reach, write: [folder] }, { sockets: false });
  if (version === 0) throw new Error('There is no Landlock.');
}
const place = layers.profile === 'ours' ? 'profile' : 'plain';
const kit = openKit({
  library,
  program: dirname(library),
  profileUrl: pathToFileURL(`${folder}/${place}`).href,
  ...(layers.options === 'reckless' && {
    loadOptions: 'Batch=true,EnableMacrosExecution=true,MacroSecurityLevel=0',
  }),
});
for (const name of names) {
  try {
    const document = kit.open(pathToFileURL(`${folder}/${name}`).href);
    document.saveAs(pathToFileURL(`${folder}/${name}.pdf`).href, 'pdf', '');
    document.destroy();
  } catch {
    // Refused: there is no PDF.
  }
}
process.kill(process.pid, 'SIGKILL');
