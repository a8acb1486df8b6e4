type Library = typeof import('pdfjs-dist');
export type PdfDocument = Awaited<ReturnType<Library['getDocument']>['promise']>;

let library: Promise<Library> | null = null;

/** Half a megabyte with its worker: loaded when the first PDF is looked at. */
function pdfjs(): Promise<Library> {
  library ??= import('pdfjs-dist').then((loaded) => {
    const worker = new URL('pdfjs-dist/build/pdf.worker.min.mjs', import.meta.url);
    loaded.GlobalWorkerOptions.workerSrc = worker.href;
    return loaded;
  });
  return library;
}

/** The bytes are copied: the worker takes what it is given, and the same bytes may be painted again. */
export async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  const { getDocument } = await pdfjs();
  return getDocument({ data: bytes.slice(), isEvalSupported: false }).promise;
}
