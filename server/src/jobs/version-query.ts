/** In the address of a job file: which loading of the folder it belongs to. */
export const VERSION = 'millrace-version';
