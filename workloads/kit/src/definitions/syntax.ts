import type { ErrorCode } from 'yaml';

/** What someone who is no friend of YAML is to do about what the parser found. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'A value that begins with * is something else in YAML. Put quotes around it.',
  BAD_DQ_ESCAPE:
    'Between double quotes, \\ begins a special character. Write \\\\ for one, or use single quotes.',
  BAD_INDENT:
    'This line does not begin at the column of the fields beside it, or a bracket above is not closed.',
  BAD_SCALAR_START:
    'A value that begins with this character is something else in YAML. Put quotes around it.',
  BLOCK_AS_IMPLICIT_KEY:
    'There are two fields on this line. Put quotes around a value that has a colon and a blank in it.',
  DUPLICATE_KEY: 'This field is there twice. Remove one of them.',
  MISSING_CHAR: 'A quote or a bracket that was opened above is not closed.',
  MULTILINE_IMPLICIT_KEY:
    'This is no field. Write its name, a colon and a blank; a value of several lines begins with |.',
  MULTIPLE_DOCS: 'A file has one definition. Remove the line --- and what follows it.',
  NON_STRING_KEY: 'The name of a field is a text.',
  TAB_AS_INDENT: 'A tab is here. YAML is indented with blanks: use two for each step.',
  TAG_RESOLVE_FAILED: 'Tags such as !name have no meaning here. Remove it.',
  UNEXPECTED_TOKEN:
    'This cannot follow what stands before it. Put quotes around a value that has brackets, braces or # in it.',
};

export function syntaxSentence(code: ErrorCode, message: string): string {
  return ADVICE[code] ?? `This is no YAML: ${message}.`;
}
