import type { ServerEntry } from '../configuration-file.js';

/** What a version keeps of an entry: enough to tell what changed. */
export type VersionEntry = Pick<ServerEntry, 'name' | 'definition' | 'definitionHash' | 'secrets'>;
