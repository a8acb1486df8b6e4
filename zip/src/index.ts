export * from './files.ts';
export * from './records.ts';
