import { textLines } from '../../../docx/test/read.ts';
import type { OfficeLike } from '../src/index.ts';

/** Stands in for LibreOffice: the PDF is the text of the document. */
export interface FakeOffice extends OfficeLike {
  readonly calls: {
    lane: string | undefined;
    pdf: object | undefined;
    name?: string | undefined;
    text: string;
  }[];
  version: string;
  /** What it finds in every document beside its text. */
  found: { readonly missingCharacters?: readonly string[]; readonly printsName?: boolean };
  /** Called before each conversion; what it throws, the conversion fails with. */
  before: (text: string, signal: AbortSignal | undefined) => Promise<void> | void;
  /** What each conversion waits for before it has a process. */
  free: () => Promise<void>;
}

export function fakeOffice(): FakeOffice {
  const office: FakeOffice = {
    calls: [],
    version: '7.4',
    found: {},
    before() {},
    free: () => Promise.resolve(),
    async convert(docx, options = {}) {
      const text = textLines(docx).join('\n');
      const { lane, pdf, name } = options;
      office.calls.push({ lane, pdf, text, ...(name !== undefined && { name }) });
      options.onTurn?.('waiting');
      await office.free();
      options.onTurn?.('running');
      await office.before(text, options.signal);
      return {
        pdf: Buffer.from(`%PDF ${text}`),
        timings: { queueMs: 0, convertMs: 0 } as never,
        ...office.found,
      };
    },
    check: () =>
      Promise.resolve({ ok: true, version: office.version, way: 'kit', network: [], disk: [] }),
  };
  return office;
}
