/** Ways to say "the value is elsewhere". None of them has room for a default, which would be a value. */
const reference =
  /\$\{(?:(?:env|input|command|config|file|secret|secrets):)?[\w.-]+\}|\$\{\/\}|\$env:\w+|\$\w+|%\w+%|\{\{\s*[\w.-]+\s*\}\}|\bop:\/\/[^\s"']+/g;

export const hasReference = (text: string): boolean => text.search(reference) !== -1;
/** Nothing but references, and what joins them. */
export const isReference = (text: string): boolean =>
  hasReference(text) && !/[\p{L}\p{N}]/u.test(text.replaceAll(reference, ''));
/** What stands between references is somebody's value. */
export function betweenReferences(text: string, replace: (literal: string) => string): string {
  const parts: string[] = [];
  const add = (literal: string) => parts.push(/[\p{L}\p{N}]/u.test(literal) ? replace(literal) : literal);
  let at = 0;
  for (const match of text.matchAll(reference)) {
    add(text.slice(at, match.index));
    parts.push(match[0]);
    at = match.index + match[0].length;
  }
  add(text.slice(at));
  return parts.join('');
}

/** What examples have where a secret goes: "<your-key>", "YOUR_API_KEY", "xxxx", "…". */
export const isPlaceholder = (text: string): boolean =>
  /^(?:<[^>]*>|\[[^\]]*\]|(?:your|my|insert|enter|add|put|paste|replace|example|sample|dummy|fake)[\s_-].*|[x*.…•-]+|todo|tbd|none|null|undefined|n\/a|change[\s_-]?me|.*[\s_-]here)$/i.test(
    text.trim(),
  );

/** Values that are no secrets whatever their name says: switches, small numbers, places of files. */
export const isPlainValue = (text: string): boolean =>
  /^(?:true|false|yes|no|on|off|null|\d{1,5})$/i.test(text) || isPath(text);

export const isPath = (text: string): boolean =>
  /^(?:~[\\/]|\.{1,2}[\\/]|[\\/](?![\\/=+])|[A-Za-z]:[\\/])[^\n;=]*$/.test(text);
