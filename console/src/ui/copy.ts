import { toast } from './toast.tsx';

/** Puts a text into the clipboard, and says that it did or could not. `name`: what was copied, for the toast. */
export async function copy(text: string, name: string): Promise<void> {
  const done = await written(text);
  toast(
    done
      ? { text: `${name} copied` }
      : { text: `${name} could not be copied: mark it and copy it by hand`, phase: 'failed' },
  );
}

/** Browsers have a clipboard for pages over HTTPS and on localhost alone; elsewhere the old way is the only one. */
async function written(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromPage(text);
  }
}

function copiedFromPage(text: string): boolean {
  const before = document.activeElement;
  const place = document.createElement('textarea');
  place.value = text;
  place.className = 'sr-only';
  document.body.append(place);
  place.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    place.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
