/** Finds positions in JSON source text, so that values can be forwarded byte for byte. */

export interface JsonMember {
  key: string;
  /** The source text of the value, without surrounding whitespace. */
  source: string;
}

/** The end (exclusive) of the object or array that begins at `from`. -1: it does not close. */
export function closingIndex(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at) - 1;
      if (at < from) return -1;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** The members of an object in source order, including repeated keys. Null: the text is not one JSON object. */
export function jsonMembers(text: string): JsonMember[] | null {
  if (!isJsonObject(text)) return null;
  const found: JsonMember[] = [];
  let at = text.indexOf('{') + 1;
  while (at > 0 && at < text.length) {
    const keyFrom = text.indexOf('"', at);
    if (keyFrom < 0) break;
    const keyTo = stringEnd(text, keyFrom);
    const valueFrom = text.indexOf(':', keyTo) + 1;
    const valueTo = valueEnd(text, valueFrom);
    found.push({
      key: JSON.parse(text.slice(keyFrom, keyTo)) as string,
      source: text.slice(valueFrom, valueTo).trim(),
    });
    at = valueTo + 1;
  }
  return found;
}

export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The comma or brace that ends the member value beginning at `from`. Expects valid JSON. */
function valueEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (character === '{' || character === '[') at = closingIndex(text, at) - 1;
    else if (character === ',' || character === '}') return at;
  }
  return text.length;
}

/** The index after the closing quote of the string that begins at `from`. 0: it does not close. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return 0;
}
