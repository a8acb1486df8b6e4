import { toast } from '../../ui/toast.tsx';

/** Gives an answer's bytes to the browser's downloads, under the name that the server says. */
export async function saveAs(answer: Promise<Response>, fallback: string): Promise<void> {
  try {
    const response = await answer;
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = nameIn(response.headers.get('content-disposition')) ?? fallback;
    link.click();
    // The browser has taken it when its own task is over.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    toast({ text: error instanceof Error ? error.message : String(error), phase: 'failed' });
  }
}

export function nameIn(disposition: string | null): string | null {
  const wide = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  if (wide !== undefined) return decodeURIComponent(wide);
  return /filename="([^"]+)"/i.exec(disposition ?? '')?.[1] ?? null;
}
