import { textLines } from '../../../docx/test/read.ts';
import type { OfficeLike } from '../src/index.ts';

/** Stands in for LibreOffice: the PDF is the text of the document. */
export interface FakeOffice extends OfficeLike {
  readonly calls: { lane: string | undefined; pdf: object | undefined; text: string }[];
  version: string;
  /** Called before each conversion; what it throws, the conversion fails with. */
  before: (text: string, signal: AbortSignal | undefined) => Promise<void> | void;
}

export function fakeOffice(): FakeOffice {
  const office: FakeOffice = {
    calls: [],
    version: '7.4',
    before() {},
    async convert(docx, options = {}) {
      const text = textLines(docx).join('\n');
      office.calls.push({ lane: options.lane, pdf: options.pdf, text });
      await office.before(text, options.signal);
      return { pdf: Buffer.from(`%PDF ${text}`), timings: { queueMs: 0, convertMs: 0 } as never };
    },
    check: () =>
      Promise.resolve({ ok: true, version: office.version, way: 'kit', network: [], disk: [] }),
  };
  return office;
}
