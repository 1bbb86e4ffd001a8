import type { ServerEntry } from './configuration-file.js';

/** The part of an entry that a version stores: enough to show what changed. */
export type VersionEntry = Pick<ServerEntry, 'name' | 'definition' | 'definitionHash' | 'secrets'>;
