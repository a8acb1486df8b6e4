import { toast } from '../ui/toast.tsx';

interface SavePicker {
  showSaveFilePicker?: (options: {
    suggestedName: string;
  }) => Promise<{ createWritable(): Promise<WritableStream> }>;
}

/**
 * Saves an answer of the service as a file, under the name that the service says, or else `name`. A plain link could not carry
 * the token. `large`: where the browser lets a page write to a file, it asks for a place and the bytes go there as they come, so
 * that a file of gigabytes does not pass through memory.
 */
export async function download(
  name: string,
  open: () => Promise<Response>,
  { large = false }: { readonly large?: boolean } = {},
): Promise<void> {
  try {
    const picker = large ? (window as SavePicker).showSaveFilePicker : undefined;
    const file = picker === undefined ? null : await picker({ suggestedName: name });
    const response = await open();
    if (file !== null && response.body !== null) {
      await response.body.pipeTo(await file.createWritable());
      toast({ text: `${name} is saved` });
    } else
      offer(nameIn(response.headers.get('content-disposition')) ?? name, await response.blob());
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return; // the person changed their mind
    toast({ text: error instanceof Error ? error.message : String(error), phase: 'failed' });
  }
}

/** To the browser's own downloads, which say themselves that it is there. */
function offer(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it when its own task is over.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function nameIn(disposition: string | null): string | null {
  const wide = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  if (wide !== undefined) return decodeURIComponent(wide);
  return /filename="([^"]+)"/i.exec(disposition ?? '')?.[1] ?? null;
}
