import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { covering } from './program/coverage.ts';
import type { Kit } from './program/kit.ts';
import { type Looked, NOTHING, look } from './program/look.ts';
import { warmUpPage } from './page.ts';
import { killTree } from './processes/group.ts';
import { profileUrl } from './processes/profile.ts';
import {
  type Answer,
  COVERAGE,
  type ChildSettings,
  type Hello,
  type Task,
} from './program/protocol.ts';
import { convertBySoffice } from './program/soffice.ts';

// The program of one process of the pool: closes itself off, loads LibreOffice, warms it up, says that it is
// ready, and then converts one document after the other until it is killed.

/** Loaded by the first document with a password: it takes 33 MB of memory. */
const encryption = () => import('./program/encrypt.ts');
let covers: ReturnType<typeof covering> | null = null;
const settings = JSON.parse(process.argv[2] ?? '') as ChildSettings;

// The pool is gone. LibreOffice's own clean-up has nothing to save, and has been seen to hang: no exit handlers.
process.on('disconnect', () => killTree(process.pid));

await (settings.way === 'kit' ? serveByKit() : serveBySoffice());

async function serveByKit(): Promise<void> {
  let opened: {
    kit: Kit;
    sandbox: Pick<Hello, 'network' | 'disk'>;
    paint: typeof import('./program/thumbnail.ts').paintThumbnail;
  };
  try {
    // Only here: where koffi has no binary for the machine, importing it is what fails.
    const { confine, enterSandbox } = await import('./sandbox/sandbox.ts');
    if (settings.confined === null) confine(settings);
    const { openKit } = await import('./program/kit.ts');
    const { paintThumbnail } = await import('./program/thumbnail.ts');
    const { library, program, folder } = settings;
    if (library === null) throw new Error(`There is no LibreOfficeKit in ${program}.`);
    if (settings.account !== null) await loadEncryption();
    const sandbox = enterSandbox(settings);
    const kit = openKit({ library, program, profileUrl: profileUrl(folder) });
    opened = { kit, sandbox, paint: paintThumbnail };
    warmUp(kit);
  } catch (error) {
    answer({ type: 'unavailable', reason: messageOf(error) });
    return;
  }
  const { kit, sandbox, paint } = opened;
  process.on('message', (task: Task) => {
    void locked(task, convertByKit(kit, task, paint)).then(answer);
  });
  answer({ type: 'ready', version: kit.version, ...sandbox });
}

function convertByKit(
  kit: Kit,
  task: Task,
  paint: typeof import('./program/thumbnail.ts').paintThumbnail,
): Answer {
  try {
    const startedAt = performance.now();
    const looked = task.type === 'pdf' ? lookAt(task) : NOTHING;
    const document = kit.open(pathToFileURL(task.input).href);
    try {
      if (looked.canRefresh) document.refreshIndexes();
      const loadedAt = performance.now();
      if (task.type === 'pdf') document.saveAs(pathToFileURL(task.output).href, 'pdf', task.filter);
      else writeFileSync(task.output, paint(document, task.width), { mode: 0o600 });
      return {
        type: 'done',
        loadMs: loadedAt - startedAt,
        saveMs: performance.now() - loadedAt,
        missing: looked.missing,
        printsName: looked.printsName,
      };
    } finally {
      document.destroy();
    }
  } catch (error) {
    const hint = hasPages(task) ? ' Perhaps it has none of the pages asked for.' : '';
    return { type: 'failed', code: 'conversion_failed', reason: `${messageOf(error)}${hint}` };
  }
}

/** The PDF under its password. Whatever goes wrong, nobody is given one that is open. */
async function locked(task: Task, converted: Answer): Promise<Answer> {
  if (converted.type !== 'done' || task.type !== 'pdf' || task.password === null) return converted;
  try {
    const startedAt = performance.now();
    const { encryptPdf } = await encryption();
    writeFileSync(task.output, await encryptPdf(readFileSync(task.output), task.password));
    return { ...converted, saveMs: converted.saveMs + performance.now() - startedAt };
  } catch (error) {
    return failedBy(error);
  }
}

/** Before the process becomes another account, which may not read where we are installed; the package is optional. */
async function loadEncryption(): Promise<void> {
  await encryption().catch(() => null);
}

function failedBy(error: unknown): Answer {
  return { type: 'failed', code: 'conversion_failed', reason: messageOf(error) };
}

function lookAt(task: Task): Looked {
  covers ??= covering(readFileSync(join(settings.cache, COVERAGE)));
  return look(readFileSync(task.input), covers);
}

function hasPages(task: Task): boolean {
  return task.type === 'pdf' && task.filter.includes('"PageRange"');
}

function warmUp(kit: Kit): void {
  const input = join(settings.folder, 'warm-up.docx');
  const output = join(settings.folder, 'warm-up.pdf');
  writeFileSync(input, warmUpPage());
  const document = kit.open(pathToFileURL(input).href);
  document.saveAs(pathToFileURL(output).href, 'pdf', '');
  document.destroy();
  rmSync(input);
  rmSync(output);
}

async function serveBySoffice(): Promise<void> {
  let sandbox: Pick<Hello, 'network' | 'disk'> = { network: [], disk: [] };
  try {
    const { confine, enterSandbox } = await import('./sandbox/sandbox.ts');
    if (settings.confined === null) confine(settings);
    if (settings.account !== null) await loadEncryption();
    sandbox = enterSandbox(settings);
  } catch {
    // Without koffi there is no sandbox. The pool warns: the answer says that nothing closes network and disk.
  }
  process.on('message', (task: Task) => {
    void convertBySoffice(settings, task, lookAt(task))
      .catch((error: unknown) => failedBy(error))
      .then((converted) => locked(task, converted))
      .then(answer);
  });
  answer({ type: 'ready', version: null, ...sandbox });
}

function answer(message: Answer): void {
  process.send?.(message);
}

/** Without what LibreOffice adds for its developers: our files' names, and where in its sources it happened. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/type detection failed|returned an empty reference/.test(message))
    return 'It is no Word document (DOCX), or a damaged one.';
  const [said = ''] = message.replaceAll(/\s*<?file:[^\s>]*>?/g, '').split(/\s+at\s/);
  return said.trim();
}
