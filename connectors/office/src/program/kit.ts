import koffi, { type TypeObject } from 'koffi';

/**
 * LibreOfficeKit through koffi. The library hands out an object whose first word points to a table: its size
 * in bytes, then one function after the other. New versions only append to these tables, so a function has the
 * same place in all of them (compared: the headers of 5.3 and 6.4, and what 7.4 answers), and the size says
 * whether a version has it. 7.4: 128 bytes for the office, 536 for a document.
 */
const OFFICE = {
  getError: 3,
  documentLoadWithOptions: 4,
  freeError: 5,
  getVersionInfo: 10,
} as const;
const DOCUMENT = {
  destroy: 1,
  saveAs: 2,
  getPartPageRectangles: 5,
  paintTile: 10,
  getTileMode: 11,
  initializeForRendering: 13,
  postUnoCommand: 17,
  getCommandValues: 23,
} as const;

type Pointer = bigint;
const POINTER_BYTES = koffi.sizeof('void *');
const TILE_MODE_BGRA = 1;

const getText = koffi.proto('void *GetText(void *)');
const freeText = koffi.proto('void FreeText(void *)');
const load = koffi.proto('void *Load(void *, const char *url, const char *options)');
const save = koffi.proto(
  'int Save(void *, const char *url, const char *format, const char *options)',
);
const getNumber = koffi.proto('int GetNumber(void *)');
const render = koffi.proto('void Render(void *, const char *)');
const post = koffi.proto('void Post(void *, const char *, const char *, bool)');
const getValues = koffi.proto('void *GetValues(void *, const char *)');
const paint = koffi.proto('void Paint(void *, uint8_t *, int, int, int, int, int, int)');

/**
 * LibreOfficeKit only posts a command: another thread carries it out a little later, on whatever document it thinks is active,
 * which in 1 of 10 cases is none yet. That it was done is seen from what could be undone. 120 of 120 were refreshed so, most at
 * the first look; a document without an index costs all 300 ms, so it is not asked.
 */
const REFRESH_LOOKS = 200;
const LOOKS_PER_COMMAND = 10;
const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** No dialogs, no macros: LibreOfficeKit lowers the level of its profile when the options do not name one. */
const LOAD_OPTIONS = 'Batch=true,EnableMacrosExecution=false,MacroSecurityLevel=3';

export interface Kit {
  /** "7.4.7.2", as it says itself. */
  readonly version: string | null;
  /** Throws with what LibreOffice says. */
  open(url: string): KitDocument;
}

export interface KitDocument {
  saveAs(url: string, format: string, options: string): void;
  /** Where the pages are, in twips: "284, 284, 12240, 15840; …". */
  pages(): string;
  /** Paints a part of the document, given in twips, onto pixels of four bytes. */
  paint(
    area: { x: number; y: number; width: number; height: number },
    size: { width: number; height: number },
  ): {
    readonly pixels: Buffer;
    readonly order: 'rgba' | 'bgra';
  };
  /** Tables of contents and other indexes show what is in the document now. */
  refreshIndexes(): void;
  destroy(): void;
}

/** One per process, and it blocks the thread: a process of its own is what it is loaded into. */
export function openKit(params: {
  library: string;
  program: string;
  profileUrl: string;
  /** Others than ours: a test shows what ours are for. */
  loadOptions?: string;
}): Kit {
  const { loadOptions = LOAD_OPTIONS } = params;
  // Bound lazily, as LibreOffice's own loader does: 55 ms instead of seconds.
  const library = koffi.load(params.library, { lazy: true });
  const hook = library.func('void *libreofficekit_hook_2(const char *, const char *)') as (
    program: string,
    profile: string,
  ) => Pointer | null;
  const office = hook(params.program, params.profileUrl);
  if (office === null) throw new Error('LibreOfficeKit did not start.');
  const table = tableOf(office);
  const getError = table.at(OFFICE.getError, getText) as (office: Pointer) => Pointer | null;
  const free = table.at(OFFICE.freeError, freeText) as (text: Pointer) => void;
  const loadDocument = table.at(OFFICE.documentLoadWithOptions, load) as (
    ...args: [Pointer, string, string]
  ) => Pointer | null;
  const getVersion = table.at(OFFICE.getVersionInfo, getText) as (
    office: Pointer,
  ) => Pointer | null;

  /** LibreOffice's strings are on its own heap. */
  function takeText(text: Pointer | null): string {
    if (text === null) return '';
    const copy = koffi.decode.string(text);
    free(text);
    return copy;
  }
  const lastError = (): string => takeText(getError(office)) || 'LibreOffice gave no reason.';

  return {
    version: readVersion(takeText(getVersion(office))),
    open(url) {
      const document = loadDocument(office, url, loadOptions);
      if (document === null) throw new Error(lastError());
      return openDocument(document, { takeText, lastError });
    },
  };
}

function openDocument(
  document: Pointer,
  { takeText, lastError }: { takeText: (text: Pointer | null) => string; lastError: () => string },
): KitDocument {
  const table = tableOf(document);
  return {
    saveAs(url, format, options) {
      const saveAs = table.at(DOCUMENT.saveAs, save) as (
        ...args: [Pointer, string, string, string]
      ) => number;
      if (saveAs(document, url, format, options) === 0) throw new Error(lastError());
    },
    pages() {
      const get = table.at(DOCUMENT.getPartPageRectangles, getText) as (
        document: Pointer,
      ) => Pointer | null;
      (table.at(DOCUMENT.initializeForRendering, render) as (...args: [Pointer, string]) => void)(
        document,
        '{}',
      );
      return takeText(get(document));
    },
    paint(area, size) {
      const pixels = Buffer.alloc(size.width * size.height * 4);
      const paintTile = table.at(DOCUMENT.paintTile, paint) as (
        ...args: [Pointer, Buffer, ...number[]]
      ) => void;
      paintTile(document, pixels, size.width, size.height, area.x, area.y, area.width, area.height);
      const mode = (table.at(DOCUMENT.getTileMode, getNumber) as (document: Pointer) => number)(
        document,
      );
      return { pixels, order: mode === TILE_MODE_BGRA ? 'bgra' : 'rgba' };
    },
    refreshIndexes() {
      const command = table.at(DOCUMENT.postUnoCommand, post) as (
        ...args: [Pointer, string, null, boolean]
      ) => void;
      const values = table.at(DOCUMENT.getCommandValues, getValues) as (
        ...args: [Pointer, string]
      ) => Pointer | null;
      const undoable = (): string => takeText(values(document, '.uno:Undo'));
      const before = undoable();
      for (let looks = 0; looks < REFRESH_LOOKS && undoable() === before; looks++) {
        if (looks % LOOKS_PER_COMMAND === 0)
          command(document, '.uno:UpdateAllIndexes', null, false);
        Atomics.wait(PAUSE, 0, 0, 1);
      }
    },
    destroy() {
      (table.at(DOCUMENT.destroy, freeText) as (document: Pointer) => void)(document);
    },
  };
}

/** A table of functions; `at` is cheap enough to be asked each time (20 µs beside 50 ms). */
function tableOf(object: Pointer): { at(index: number, type: TypeObject): unknown } {
  const table = koffi.decode(object, 'void *') as Pointer;
  const size = Number(koffi.decode(table, 'size_t'));
  return {
    at(index, type) {
      const offset = index * POINTER_BYTES;
      if (offset >= size)
        throw new Error('This version of LibreOfficeKit lacks a function that is needed.');
      const address = koffi.decode(table, offset, 'void *') as Pointer | null;
      if (address === null)
        throw new Error('This version of LibreOfficeKit lacks a function that is needed.');
      return koffi.decode(address, type) as unknown;
    },
  };
}

function readVersion(info: string): string | null {
  try {
    const { ProductVersion, ProductExtension } = JSON.parse(info) as Record<
      string,
      string | undefined
    >;
    return ProductVersion === undefined ? null : `${ProductVersion}${ProductExtension ?? ''}`;
  } catch {
    return null;
  }
}
