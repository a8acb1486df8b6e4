import { createObjectStorage, credentialsFile } from '@millrace/object-storage';
import { type Outputs } from './outputs/types.ts';
import { createOutputs } from './outputs/outputs.ts';
import type { StorageConfig } from './settings/storage.ts';

/** Where files of reports are, and what lets go of it. */
export interface Files {
  readonly outputs: Outputs;
  close(): Promise<void>;
}

export function openFiles(params: {
  readonly folder: string;
  readonly storage: StorageConfig | null;
  /** Of this installation. */
  readonly namespace: string;
}): Files {
  const { folder, storage: config, namespace } = params;
  if (config === null)
    return { outputs: createOutputs({ folder, s3: null }), close: () => Promise.resolve() };
  const { credentials, ...rest } = config;
  const storage = createObjectStorage({
    ...rest,
    credentials: 'file' in credentials ? credentialsFile(credentials.file) : credentials,
  });
  return {
    outputs: createOutputs({ folder, s3: { storage, namespace } }),
    close: () => storage.close(),
  };
}
