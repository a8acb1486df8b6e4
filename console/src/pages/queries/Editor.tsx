import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeBrackets,
  completionKeymap,
  insertCompletionText,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { MSSQL, sql } from '@codemirror/lang-sql';
import { HighlightStyle, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useApi, useApp } from '../../data/client.ts';
import { useMay } from '../../data/roles.ts';
import { useEditorText } from '../../ui/editor-text.ts';
import { type CatalogAnswer, tableQuery } from './tables.ts';
import { bracketed, wantedAt } from './completion.ts';

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '22px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--focus)', borderLeftWidth: '1.5px' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--water-4) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    color: 'var(--ink)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--brand-tint)',
    color: 'var(--ink)',
  },
  '.cm-diagnostic': { fontFamily: 'var(--font-sans)' },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--link)', fontWeight: '550' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--succeeded)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--paused)' },
  { tag: tags.comment, color: 'var(--ink-3)' },
]);

/** While only this is typed, the options stay the same and are narrowed down by the editor. */
const STILL_TYPING = /^(?:\[[^\]\n]*|[\p{L}_#][\p{L}\p{N}_$#@]*)?$/u;

/** Long enough that a word is finished, short enough that a mistake is seen at once. */
const CHECK_AFTER_MS = 400;

/**
 * SQL with completion of what can be queried and errors underlined at their place. In a shadow root, where its styles are adopted
 * style sheets: the content security policy allows no style elements. Tab is left to the browser, so that nobody is caught inside.
 */
export function Editor({
  value,
  catalog,
  mid,
  onChange,
  onRun,
}: {
  value: string;
  catalog: CatalogAnswer | null;
  mid: string | null;
  onChange(sql: string): void;
  onRun(): void;
}) {
  const api = useApi();
  const { queries } = useApp();
  const may = useMay('validateSql');
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const typed = useEditorText(view, value);
  const change = useEffectEvent((text: string) => {
    typed(text);
    onChange(text);
  });
  const run = useEffectEvent(onRun);
  const check = useEffectEvent(async (text: string): Promise<Diagnostic[]> => {
    if (text.trim() === '' || !may.allowed) return [];
    const report = await api
      .validateSql({ body: { sql: text, ...(mid !== null && { mid }) } })
      .catch(() => null);
    return (report?.problems ?? []).map(({ severity, message, line, column }) =>
      placed(text, severity, message, line, column),
    );
  });

  /** Fields are read from Marketing Cloud when a table is named, and kept. */
  const fieldsOf = useEffectEvent(async (table: string): Promise<Completion[]> => {
    const name = table.toLowerCase();
    const known = catalog?.dataViews.find((each) => each.name.toLowerCase() === name);
    const isThere = catalog?.dataExtensions.some((each) => each.name.toLowerCase() === name);
    if (known === undefined && isThere !== true) return [];
    const answer =
      known === undefined
        ? await queries.fetchQuery(tableQuery(api, mid, table)).catch(() => null)
        : null;
    const fields = known?.fields ?? answer?.dataExtensions[0]?.fields ?? [];
    return fields.map((field) => ({ ...option(field.name, 'property'), detail: field.type }));
  });
  const complete = useEffectEvent(
    async (context: CompletionContext): Promise<CompletionResult | null> => {
      const wanted = wantedAt(context.state.doc.toString(), context.pos);
      if (wanted.what === 'any' && wanted.from === context.pos && !context.explicit) return null;
      if (wanted.what === 'tables')
        return { from: wanted.from, options: tables.current, validFor: STILL_TYPING };
      const fields = await Promise.all(wanted.tables.map((table) => fieldsOf(table)));
      const names = wanted.names.map((name) => option(name, 'property'));
      return { from: wanted.from, options: [...names, ...fields.flat()], validFor: STILL_TYPING };
    },
  );
  // Made once for a catalog of thousands, and not with each keystroke.
  const tables = useRef<Completion[]>([]);
  useEffect(() => {
    const all = [...(catalog?.dataExtensions ?? []), ...(catalog?.dataViews ?? [])];
    tables.current = all.map(({ name }) => option(name, 'type'));
  }, [catalog]);

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ icons: false }),
          syntaxHighlighting(COLOURS),
          sql({ dialect: MSSQL, upperCaseKeywords: true }),
          MSSQL.language.data.of({
            autocomplete: (context: CompletionContext) => complete(context),
          }),
          linter((shown) => check(shown.state.doc.toString()), { delay: CHECK_AFTER_MS }),
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (run(), true) }])),
          keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': 'SQL' }),
          EditorView.lineWrapping,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change(update.state.doc.toString());
          }),
          LOOK,
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
    // The text is the editor's own from here on; a change from outside comes below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  return <div ref={host} className="h-full py-2" />;
}

function option(name: string, type: string): Completion {
  return { label: bracketed(name), type, apply: insert };
}

/** A bracket that was typed got its partner from the editor: the name has one of its own. */
function insert(view: EditorView, completion: Completion, from: number, to: number): void {
  const isClosed =
    view.state.sliceDoc(from, from + 1) === '[' && view.state.sliceDoc(to, to + 1) === ']';
  view.dispatch({
    ...insertCompletionText(view.state, completion.label, from, isClosed ? to + 1 : to),
    annotations: pickedCompletion.of(completion),
  });
}

function placed(
  text: string,
  severity: 'error' | 'warning',
  message: string,
  line: number | null,
  column: number | null,
): Diagnostic {
  const lines = text.split('\n');
  if (line === null)
    return { from: 0, to: Math.min(text.length, lines[0]?.length ?? 0), severity, message };
  const start =
    lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + (column ?? 1) - 1;
  const from = Math.min(start, text.length);
  const word = /^[\w\][]+/.exec(text.slice(from))?.[0].length ?? 1;
  return { from, to: Math.min(text.length, from + Math.max(1, word)), severity, message };
}
