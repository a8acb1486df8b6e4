/** The helpers a tag can call, and how each is written. */
export interface HelperShape {
  readonly min: number;
  readonly max: number;
  readonly named: readonly string[];
  readonly usage: string;
  /** Writes more than text, so it stands alone in its tag and not inside another helper. */
  readonly draws?: boolean;
}

const two = (usage: string): HelperShape => ({ min: 2, max: 2, named: [], usage });
const some = (usage: string): HelperShape => ({ min: 1, max: 20, named: [], usage });

export const HELPERS: ReadonlyMap<string, HelperShape> = new Map<string, HelperShape>([
  ['eq', two('{{#if eq Status "Won"}}')],
  ['ne', two('{{#if ne Status "Lost"}}')],
  ['gt', two('{{#if gt Amount 100}}')],
  ['gte', two('{{#if gte Amount 100}}')],
  ['lt', two('{{#if lt Amount 100}}')],
  ['lte', two('{{#if lte Amount 100}}')],
  ['and', some('{{#if and IsPartner IsActive}}')],
  ['or', some('{{#if or IsPartner IsReseller}}')],
  ['not', { min: 1, max: 1, named: [], usage: '{{#if not IsPartner}}' }],
  ['default', two('{{default NickName "friend"}}')],
  ['upper', { min: 1, max: 1, named: [], usage: '{{upper Name}}' }],
  ['lower', { min: 1, max: 1, named: [], usage: '{{lower Name}}' }],
  ['sum', { min: 1, max: 2, named: [], usage: '{{sum Lines "Amount"}}' }],
  ['count', { min: 1, max: 1, named: [], usage: '{{count Lines}}' }],
  [
    'join',
    { min: 1, max: 3, named: [], usage: '{{join Names ", "}} or {{join Lines "Name" ", "}}' },
  ],
  [
    'number',
    { min: 1, max: 2, named: ['decimals', 'locale'], usage: '{{number Amount decimals=2}}' },
  ],
  [
    'percent',
    { min: 1, max: 2, named: ['decimals', 'locale'], usage: '{{percent Rate decimals=1}}' },
  ],
  [
    'currency',
    {
      min: 1,
      max: 2,
      named: ['code', 'decimals', 'locale', 'display'],
      usage: '{{currency Amount "EUR"}}',
    },
  ],
  [
    'date',
    {
      min: 1,
      max: 2,
      named: ['style', 'time', 'locale', 'timeZone'],
      usage: '{{date CloseDate "long"}} or {{date CloseDate "dd.MM.yyyy HH:mm"}}',
    },
  ],
  [
    'image',
    {
      min: 1,
      max: 1,
      named: ['width', 'height', 'alt'],
      usage: '{{image Photo width=4cm}}',
      draws: true,
    },
  ],
  ['link', { min: 1, max: 2, named: [], usage: '{{link Url "text"}}', draws: true }],
  ['qr', { min: 1, max: 1, named: ['size', 'level'], usage: '{{qr Value size=3cm}}', draws: true }],
  ['html', { min: 1, max: 1, named: [], usage: '{{html Value}}', draws: true }],
  ['pageBreak', { min: 0, max: 0, named: [], usage: '{{pageBreak}}', draws: true }],
]);
