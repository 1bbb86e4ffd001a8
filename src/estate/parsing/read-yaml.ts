import { parseDocument } from 'yaml';
import type { JsoncDocument } from './jsonc.js';
import { treeOf } from './tree-of.js';

/** Enough for configurations, and too few for aliases that expand to gigabytes. */
const maxYamlAliases = 50;

/** Larger than real configurations; a hostile text of this size takes less than a second. */
const maxYamlLength = 64 * 1024;

/** Describing each of many errors, and comparing all keys, would take too long for a hostile file. */
export const yamlOptions = { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const;

/** Reads the first document of a YAML file. A syntax error makes the whole file unreadable. */
export function readYaml(text: string): JsoncDocument {
  const document = { problems: [], oddities: [] };
  if (text.length > maxYamlLength)
    return { ...document, value: new Map(), problems: [{ place: '', reason: 'is larger than 64 KiB' }] };
  try {
    const yaml = parseDocument(text, yamlOptions);
    const [error] = yaml.errors;
    if (!error) {
      const value: unknown = yaml.toJS({ maxAliasCount: maxYamlAliases });
      return { ...document, value: value == null ? undefined : treeOf(value) };
    }
    const line = text.slice(0, error.pos[0]).split('\n').length;
    return { ...document, value: new Map(), problems: [{ place: '', reason: `is not valid YAML in line ${line}` }] };
  } catch {
    // too many aliases, or nested more deeply than the stack
    return { ...document, value: new Map(), problems: [{ place: '', reason: 'is not acceptable YAML' }] };
  }
}
