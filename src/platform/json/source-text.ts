/**
 * Where values stand in a JSON text, so that one can be handed on byte for byte as it was written. Only for text that
 * JSON.parse has accepted: nothing is checked here. Of a key that occurs twice the last one counts, as it does there.
 */
export function memberText(text: string, key: string): string | undefined {
  const plain = JSON.stringify(key);
  let found: string | undefined;
  let isKey = true;
  let isFound = false;
  for (const value of values(text, '{')) {
    // only a key with an escape has to be decoded
    if (isKey) isFound = value === plain || (value.includes('\\') && JSON.parse(value) === key);
    else if (isFound) found = value;
    isKey = !isKey;
  }
  return found;
}

export function elementTexts(text: string): string[] {
  return [...values(text, '[')];
}

/** The values directly inside an array, or keys and values in turn of an object; nothing where it is something else. */
function* values(text: string, opening: '[' | '{'): Generator<string> {
  let at = skipBlank(text, 0);
  if (text[at] !== opening) return;
  for (at = skipBlank(text, at + 1); text[at] !== ']' && text[at] !== '}'; at = skipBlank(text, at)) {
    const end = endOfValue(text, at);
    yield text.slice(at, end);
    at = skipBlank(text, end);
    if (text[at] === ',' || text[at] === ':') at++;
  }
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (depth === 0 && sign !== '{' && sign !== '[') return endOfLiteral(text, at);
    else {
      if (sign === '{' || sign === '[') depth++;
      if (sign === '}' || sign === ']') depth--;
      at++;
    }
  } while (depth > 0);
  return at;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
}

function endOfLiteral(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',:]} \t\n\r'.includes(text[at])) at++;
  return at;
}

function skipBlank(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\n\r'.includes(text[at])) at++;
  return at;
}
