import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, rename } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Looked } from './look.ts';
import { profileUrl } from '../processes/profile.ts';
import type { Answer, ChildSettings, Task } from './protocol.ts';

/** How much of what soffice complains about goes into the error. */
const REASON_CHARS = 300;
const RESTART = 81;

/**
 * The way without LibreOfficeKit: a soffice process per document, 1.4 s instead of 50 ms. It runs in the process
 * group of the child that waits for it, and is killed with it.
 */
export async function convertBySoffice(
  settings: ChildSettings,
  task: Task,
  { missing, printsName }: Looked,
): Promise<Answer> {
  if (task.type === 'png')
    return unsupported('A thumbnail needs LibreOfficeKit, which this LibreOffice lacks.');
  const startedAt = performance.now();
  const folder = dirname(task.output);
  const args = [
    '--headless',
    '--norestore',
    '--nolockcheck',
    '--nodefault',
    `-env:UserInstallation=${profileUrl(settings.folder)}`,
    '--convert-to',
    task.filter === '' ? 'pdf' : `pdf:writer_pdf_Export:${task.filter}`,
    '--outdir',
    folder,
    task.input,
  ];
  const program = settings.soffice ?? 'soffice';
  let { code, complaint } = await runOnce(program, args);
  // The first run of soffice with a new profile fills that and asks to be started again.
  if (code === RESTART) ({ code, complaint } = await runOnce(program, args));
  // soffice ends with 0 whether or not there is a PDF, so the file is looked for.
  const written = join(folder, `${basename(task.input, extname(task.input))}.pdf`);
  try {
    await access(written);
    if (written !== task.output) await rename(written, task.output);
  } catch {
    return {
      type: 'failed',
      code: 'conversion_failed',
      reason: complaint.trim() || `soffice ended with ${code} and wrote no PDF.`,
    };
  }
  const saveMs = performance.now() - startedAt;
  return { type: 'done', loadMs: 0, saveMs, missing, printsName };
}

async function runOnce(
  program: string,
  args: readonly string[],
): Promise<{ code: number | null; complaint: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-REASON_CHARS);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, complaint };
}

function unsupported(reason: string): Answer {
  return { type: 'failed', code: 'unsupported_option', reason };
}
