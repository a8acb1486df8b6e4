import type { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useRef } from 'react';

/**
 * Puts a text of the page into an editor, unless it came from there: React renders what was typed a moment later, and to put that back would
 * undo the keys that were pressed meanwhile. Gives what is to be called with each text of the editor's own.
 */
export function useEditorText(
  view: RefObject<EditorView | null>,
  value: string,
): (text: string) => void {
  /** Texts of the editor's own since the page had the same text. */
  const own = useRef(new Set<string>());
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const isSame = editor.state.doc.toString() === value;
    // An older one: the text that is there now is on its way to the page.
    if (!isSame && own.current.has(value)) return;
    if (!isSame)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    own.current.clear();
  }, [view, value]);
  return (text) => void own.current.add(text);
}
