import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  HighlightStyle,
  bracketMatching,
  foldGutter,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useEditorText } from '../../../ui/editor-text.ts';

/** Our tokens: they are inherited into the shadow root. */
const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  '.cm-scroller': {
    fontFamily: "'Geist Mono Variable', ui-monospace, monospace",
    lineHeight: '18px',
  },
  '.cm-gutters': { backgroundColor: 'var(--well)', color: 'var(--ink-3)', border: 'none' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--water-4) 45%, transparent)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--water-3) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
  },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--ink-2)' },
  { tag: tags.string, color: 'var(--link)' },
  { tag: tags.number, color: 'var(--scheduled)' },
  { tag: [tags.bool, tags.null], color: 'var(--paused)' },
]);

/** The editor lives in a shadow root: its styles are adopted there, which the content security policy allows. */
export function JsonEditor({
  value,
  label,
  onChange,
  onValue,
}: {
  readonly value: string;
  readonly label: string;
  onChange(text: string): void;
  /** The text of the value that the cursor is in; null elsewhere. */
  onValue(text: string | null): void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const typed = useEditorText(view, value);
  const changed = useEffectEvent((state: EditorState) => {
    const text = state.doc.toString();
    typed(text);
    onChange(text);
  });
  const moved = useEffectEvent((state: EditorState) => onValue(valueAt(state)));
  const first = useEffectEvent(() => value);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first(),
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          bracketMatching(),
          json(),
          linter(jsonParseLinter()),
          syntaxHighlighting(COLOURS),
          THEME,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          // Tab leaves the editor, as it leaves every field.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state);
            if (update.docChanged || update.selectionSet) moved(update.state);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  return <div ref={host} className="h-full min-h-0" />;
}

function valueAt(state: EditorState): string | null {
  const node = syntaxTree(state).resolveInner(state.selection.main.head, -1);
  if (node.name !== 'String' && node.name !== 'Number') return null;
  try {
    return String(JSON.parse(state.sliceDoc(node.from, node.to)));
  } catch {
    return null;
  }
}
