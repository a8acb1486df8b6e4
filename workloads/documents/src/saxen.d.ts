/** The part of saxen that is used; it comes without types. */
declare module 'saxen' {
  export class Parser {
    on(
      name: 'openTag',
      call: (name: string, attributes: () => Record<string, string>) => void,
    ): this;
    on(name: 'closeTag', call: (name: string) => void): this;
    on(name: 'text', call: (value: string, decode: (text: string) => string) => void): this;
    on(name: 'cdata' | 'attention', call: (value: string) => void): this;
    on(name: 'error', call: (error: Error) => void): this;
    parse(xml: string): void;
  }
}
