import type { Client } from '@millrace/api';

export type Batch = Awaited<ReturnType<Client['getBatch']>>;
export type Item = Awaited<ReturnType<Client['listBatchItems']>>['items'][number];
export type TemplateAnswer = Awaited<ReturnType<Client['getTemplate']>>;
export type Template = TemplateAnswer['template'];
export type Lint = TemplateAnswer['lint'];
export type Problem = Lint['problems'][number];
export type File = Awaited<ReturnType<Client['getFile']>>;
export type TableRead = Awaited<ReturnType<Client['readRows']>>;
export type Cell = TableRead['rows'][number]['cells'][number];
export type RowsChecked = Awaited<ReturnType<Client['checkRows']>>;
export type RowProblem = RowsChecked['rows'][number]['problems'][number];
