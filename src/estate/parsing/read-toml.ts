import { parse, TomlError } from 'smol-toml';
import type { JsoncDocument } from './jsonc.js';
import { treeOf } from './tree-of.js';

/** Reads TOML. A syntax error makes the whole file unreadable, because TOML cannot be read after one. */
export function readToml(text: string): JsoncDocument {
  const document = { problems: [], oddities: [] };
  if (/^\s*$/.test(text)) return { ...document, value: undefined };
  try {
    return { ...document, value: treeOf(parse(text)) };
  } catch (error) {
    // only the line: the message quotes the file
    const line = error instanceof TomlError ? ` in line ${error.line}` : '';
    return { ...document, value: new Map(), problems: [{ place: '', reason: `is not valid TOML${line}` }] };
  }
}
