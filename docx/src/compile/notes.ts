import type { Token } from '../xml/tokenizer.ts';
import { attribute } from '../xml/tokens.ts';
import type { Builder } from './ops/builder.ts';
import type { Marks } from './layout/marks.ts';
import type { Scopes } from './ops/uses.ts';

/** The notes that loops refer to, and where in the data each of them is. */
export type RepeatedNotes = ReadonlyMap<string, Scopes>;

/** The note that a reference, or a note itself, means. The separators between text and notes are no notes. */
export function noteOf(token: Token): string | undefined {
  const kind = /^w:(footnote|endnote)(?:Reference)?$/.exec(token.name)?.[1];
  if (kind === undefined || token.kind === 'close' || attribute(token, 'w:type')) return undefined;
  const id = attribute(token, 'w:id');
  return id === undefined ? undefined : `${kind} ${id}`;
}

/** Writes the notes that are repeated: the tags in them are read where their reference stands. */
export function createNotes(
  tokens: readonly Token[],
  repeated: RepeatedNotes,
  builder: Builder,
  marks: Marks,
): { emit(token: Token): boolean } {
  return {
    emit: (token) => {
      if (repeated.size === 0) return false;
      const opener = token.kind === 'close' ? tokens[token.match] : token;
      const note = opener && noteOf(opener);
      const scopes = note === undefined ? undefined : repeated.get(note);
      if (note === undefined || !scopes) return false;
      if (token.kind === 'open') {
        marks.enterNote(scopes);
        builder.open();
        builder.text(`<${token.name} w:id="`);
        builder.add({ op: 'noteId' });
        builder.text('">', 'start');
      } else {
        builder.text(token.raw);
        builder.add({ op: 'note', note, body: builder.close() });
        marks.leaveNote();
      }
      return true;
    },
  };
}
