/**
 * Finds the source text of a value in a JSON text, so that it can be forwarded byte for byte. The text must already
 * have passed JSON.parse: nothing is validated here. If a key occurs twice, the last one counts, as in JSON.parse.
 */
export function memberText(text: string, key: string): string | undefined {
  const plain = JSON.stringify(key);
  let memberValue: string | undefined;
  let isKey = true;
  let isMatch = false;
  for (const value of values(text, '{')) {
    // only a key with an escape must be decoded
    if (isKey) isMatch = value === plain || (value.includes('\\') && JSON.parse(value) === key);
    else if (isMatch) memberValue = value;
    isKey = !isKey;
  }
  return memberValue;
}

export function elementTexts(text: string): string[] {
  return [...values(text, '[')];
}

/** The direct elements of an array, or alternating keys and values of an object. Empty for another type. */
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
