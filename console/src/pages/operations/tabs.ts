export const OPERATION_TABS = [
  'now',
  'schedules',
  'kinds',
  'audit',
  'tenants',
  'settings',
  'sandbox',
] as const;
export type OperationTab = (typeof OPERATION_TABS)[number];
