import { join } from 'node:path';
import type { Log } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import { type MeasuredCall, openStorage } from '@millrace/workload-kit';
import {
  type FolderWatch,
  createFolderWatch,
  ensureFolderId,
  readFolderId,
} from './outputs/local/shared.ts';
import { createOutputs } from './outputs/outputs.ts';
import type { Outputs } from './outputs/types.ts';
import type { ReportsConfig } from './settings.ts';

/** Where files of reports are, and what lets go of it. */
export interface Files {
  readonly outputs: Outputs;
  /** Null: all servers reach the same files anyway. */
  readonly folders: FolderWatch | null;
  close(): Promise<void>;
}

/** Where files are that are not in the database or on object storage. */
export function outputFolderOf(
  { outputFolder }: Pick<ReportsConfig, 'outputFolder'>,
  dataFolder: string,
): string {
  return outputFolder ?? join(dataFolder, 'reports');
}

/**
 * On object storage where it is configured, in the folder where one is named. Otherwise they are where the queue is: in the database where
 * it is a server, whose other servers have to reach them; in the data folder where it is embedded, and nobody else is there.
 */
export async function openFiles(params: {
  readonly config: Pick<ReportsConfig, 'outputFolder' | 'storage'>;
  readonly dataFolder: string;
  readonly database: Database;
  /** Of this installation. */
  readonly namespace: string;
  readonly log: Log;
  readonly call: MeasuredCall;
}): Promise<Files> {
  const { config, dataFolder, database, namespace, log } = params;
  const folder = outputFolderOf(config, dataFolder);
  const isShared = !database.isEmbedded;
  const storage = config.storage === null ? null : openStorage(config.storage, params.call);
  const isInFolder = storage === null && (config.outputFolder !== null || !isShared);
  const folderId = await (isShared && isInFolder ? ensureFolderId(folder) : readFolderId(folder));
  const outputs = createOutputs({
    folder,
    folderId,
    s3: storage === null ? null : { storage, namespace },
    database: isShared ? database : null,
    into: storage !== null ? 'storage' : isInFolder ? 'folder' : 'database',
  });
  const folders =
    isShared && isInFolder && folderId !== null
      ? createFolderWatch({ database, folder, id: folderId, log })
      : null;
  return { outputs, folders, close: async () => storage?.close() };
}
