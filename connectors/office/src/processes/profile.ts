import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Version } from '../find.ts';
import type { OtherFormat } from './formats.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

type Setting = readonly [path: string, property: string, value: string];

/** Settings for things that LibreOffice must not do with other people's documents. */
const SETTINGS: readonly Setting[] = [
  // Nothing is fetched for a document: no linked pictures, no linked sections, no templates. No document is
  // in a trusted place, so every link counts as untrusted.
  ['Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  ['Office.Common/Security/Scripting', 'DisableActiveContent', 'true'], // from 7.5 on; ignored before
  ['Office.Writer/Content/Update', 'Link', '2'], // never
  ['Office.Calc/Content/Update', 'Link', '2'], // embedded sheets
  ['Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['Office.Writer/Filter/Import/VBA', 'Load', 'false'],
  ['Office.Java/VirtualMachine', 'Enable', 'false'],
  // A process is killed whenever that is convenient: there is nothing to recover, nor to report.
  ['Office.Recovery/RecoveryInfo', 'Enabled', 'false'],
  ['Office.Recovery/AutoSave', 'Enabled', 'false'],
  ['Office.Common/Misc', 'CrashReport', 'false'],
  ['Office.Common/Misc', 'FirstRun', 'false'],
  ['Office.Common/History', 'PickListSize', '0'],
  ['Office.Common/Cache/GraphicManager', 'TotalCacheSize', '20000000'],
  ['Office.Linguistic/SpellChecking', 'IsSpellAuto', 'false'], // red waves under a thumbnail's words
];

/**
 * LibreOfficeKit opens every document in a window, though nobody sees it. What stands around the page there took almost
 * half of the processor time of a one-page invoice (61 ms; the sidebar 18, the bars 8, collecting words 2).
 */
const NO_WINDOW_DRESSING: readonly Setting[] = [
  [
    "Office.Views/Windows/org.openoffice.Office.Views:WindowType['swriter/10336']", // the sidebar
    'Visible',
    'false',
  ],
  ['Office.Writer/AutoFunction/Completion', 'Enable', 'false'],
  ['Office.Writer/AutoFunction/Completion', 'CollectWords', 'false'],
  ['Office.Common/Misc', 'UseLocking', 'false'], // nobody else opens these files
];

/** Bars that a user has emptied. The status bar counts words, the menu bar builds all its menus. */
const EMPTY_BARS = {
  'menubar/menubar.xml':
    '<menu:menubar xmlns:menu="http://openoffice.org/2001/menu" menu:id="menubar"/>',
  'statusbar/statusbar.xml':
    '<statusbar:statusbar xmlns:statusbar="http://openoffice.org/2001/statusbar"/>',
};

/** Marks that only an editor shows, and a thumbnail must not: the corners of the text, the edges of tables, fields in grey. */
const EDITOR_ONLY = [
  'DocBoundaries',
  'ObjectBoundaries',
  'TableBoundaries',
  'WriterFieldShadings',
  'WriterIdxShadings',
];

export function profileFolder(folder: string): string {
  return join(folder, 'profile');
}

export function profileUrl(folder: string): string {
  return pathToFileURL(profileFolder(folder)).href;
}

/** Removes the files of a process once it is dead. Throws where they are another user's. */
export async function removeProcess(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  const socket = socketOf(folder);
  const names = await readdir(SOCKETS).catch(() => []);
  for (const name of names)
    if (name.endsWith(socket)) await rm(join(SOCKETS, name), { force: true });
}

/**
 * soffice listens in /tmp, whatever TMPDIR says, for a second start with its profile, and leaves the socket there when it is killed.
 * The name ends with the MD5 of the profile's URL in UTF-16, each byte in hexadecimal without leading zeros.
 */
const SOCKETS = '/tmp';
function socketOf(folder: string): string {
  const digest = createHash('md5')
    .update(Buffer.from(profileUrl(folder), 'utf16le'))
    .digest();
  return `SingleOfficeIPC_${Array.from(digest, (byte) => byte.toString(16)).join('')}`;
}

/** A profile for a new process of this version, which opens none of the other formats. */
export async function makeProfile(
  folder: string,
  version: Version,
  otherFormats: readonly OtherFormat[] = [],
): Promise<void> {
  const user = join(profileFolder(folder), 'user');
  await mkdir(user, { recursive: true, mode: 0o700 });
  await writeFile(join(user, 'registrymodifications.xcu'), registry(version, otherFormats));
  for (const [name, xml] of Object.entries(EMPTY_BARS)) {
    const file = join(user, 'config/soffice.cfg/modules/swriter', name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${DECLARATION}\n${xml}\n`);
  }
}

function registry({ major, minor }: Version, otherFormats: readonly OtherFormat[]): string {
  const scheme =
    "Office.UI/ColorScheme/ColorSchemes/org.openoffice.Office.UI:ColorScheme['LibreOffice']";
  // A profile that has seen this version: LibreOffice then skips what it does after an update, and starts in
  // 0.1 s instead of 1.
  const seen = ['Setup/Product', 'ooSetupLastVersion', `${major}.${minor}`] as const;
  const hidden = EDITOR_ONLY.map((name) => [`${scheme}/${name}`, 'IsVisible', 'false'] as const);
  const items = [...SETTINGS, ...NO_WINDOW_DRESSING, seen, ...hidden].map(
    ([path, name, value]) =>
      `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  const removed = otherFormats.map(
    ({ list, name }) =>
      `<item oor:path="/org.openoffice.TypeDetection.${list}"><node oor:name="${name}" oor:op="remove"/></item>`,
  );
  return `${DECLARATION}
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${[...items, ...removed].join('\n')}
</oor:items>
`;
}
