import { parseDocument } from 'yaml';
import type { JsoncDocument } from './jsonc.js';
import { treeOf } from './tree-of.js';

/** Enough for configurations, and too few for aliases that expand to gigabytes. */
const maxYamlAliases = 50;

/** Reads the first document of a YAML file. A syntax error makes the whole file unreadable. */
export function readYaml(text: string): JsoncDocument {
  const document = { problems: [], oddities: [] };
  try {
    const yaml = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' });
    const [error] = yaml.errors;
    if (!error) {
      const value: unknown = yaml.toJS({ maxAliasCount: maxYamlAliases });
      return { ...document, value: value == null ? undefined : treeOf(value) };
    }
    const line = error.linePos ? ` in line ${error.linePos[0].line}` : '';
    return { ...document, value: new Map(), problems: [{ place: '', reason: `is not valid YAML${line}` }] };
  } catch {
    // too many aliases, or nested more deeply than the stack
    return { ...document, value: new Map(), problems: [{ place: '', reason: 'is not acceptable YAML' }] };
  }
}
