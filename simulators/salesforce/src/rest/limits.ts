import type { LeafHandler } from './request.ts';

const MEGABYTE = 1_048_576;

/** `GET …/limits`. */
export const limits: LeafHandler = async ({ org }) => {
  const { used, max } = org.counter.calls;
  const { fileBytes } = org.database;
  const fileMegabytes = Math.floor(org.settings.storageBytes / MEGABYTE);
  const left = Math.max(0, Math.floor((org.settings.storageBytes - fileBytes) / MEGABYTE));
  return {
    status: 200,
    body: {
      DailyApiRequests: { Max: max, Remaining: Math.max(0, max - used) },
      DataStorageMB: { Max: 10_240, Remaining: 10_240 },
      FileStorageMB: { Max: fileMegabytes, Remaining: left },
      HourlyPublishedPlatformEvents: { Max: 50_000, Remaining: 50_000 },
    },
  };
};
