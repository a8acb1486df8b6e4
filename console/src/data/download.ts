import { toast } from '../ui/toast.tsx';

interface SavePicker {
  showSaveFilePicker?: (options: {
    suggestedName: string;
  }) => Promise<{ createWritable(): Promise<WritableStream> }>;
}

/**
 * Saves an answer of the service as a file. A plain link could not carry the token. Where the browser lets a page write to a file,
 * the bytes go there as they come, so that a file of gigabytes does not pass through memory.
 */
export async function download(name: string, open: () => Promise<Response>): Promise<void> {
  try {
    const picker = (window as SavePicker).showSaveFilePicker;
    const file = picker === undefined ? null : await picker({ suggestedName: name });
    const response = await open();
    if (file !== null && response.body !== null)
      await response.body.pipeTo(await file.createWritable());
    else offer(name, await response.blob());
    toast({ text: `${name} is saved` });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return; // the person changed their mind
    toast({ text: error instanceof Error ? error.message : String(error), phase: 'failed' });
  }
}

function offer(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
