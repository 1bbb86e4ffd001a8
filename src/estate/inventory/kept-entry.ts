import type { Entry } from '../parsed.js';

/** What a version keeps of an entry: enough to tell what changed. */
export type KeptEntry = Pick<Entry, 'name' | 'definition' | 'definitionHash' | 'secrets'>;
