/**
 * LibreOfficeKit by itself, with the profile, the environment and the options that the processes of the pool have: for
 * whoever converts in a process of their own, or wants to know what the pool adds. It blocks its thread, and nothing
 * keeps a document from what the process may do.
 */
export { filterOptions } from './options.ts';
export { environmentOf } from './processes/environment.ts';
export { makeProfile, profileUrl } from './processes/profile.ts';
export { type Kit, type KitDocument, openKit } from './program/kit.ts';
