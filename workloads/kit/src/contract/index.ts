export * from './access.ts';
export * from './contract.ts';
export { csvRecord } from './csv.ts';
export * from './metrics.ts';
export { nearest } from './nearest.ts';
export * from './page.ts';
export { fileProblem, parameterField } from './parameters.ts';
export * from './tables.ts';
export * from './values.ts';
