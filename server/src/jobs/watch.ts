import { watch } from 'node:fs';

/** An editor saves in several steps, and "save all" touches many files: they are one change once it is still for so long. */
const STILL_MS = 300;

/** Tells when something in the folder, or below it, has changed. A folder that is not there is not watched. */
export function watchFolder(folder: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  try {
    const watcher = watch(folder, { recursive: true, persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(onChange, STILL_MS).unref();
    });
    watcher.on('error', () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    return () => {};
  }
}
