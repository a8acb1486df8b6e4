export { TemplateError } from './errors.ts';
export type { Place, Problem, TemplateErrorCode } from './errors.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits } from './limits.ts';
export { compile } from './template.ts';
export type { CompileOptions, MergeOptions, Template } from './template.ts';
export type { FieldUse } from './compile/uses.ts';
export { lint } from './lint.ts';
export type { BlockUse, LintOptions, LintReport } from './lint.ts';
