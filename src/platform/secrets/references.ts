/**
 * References to a value that is stored elsewhere. None of the forms allows a default, because that would be a value.
 */
const reference =
  /\$\{(?:(?:env|input|command|config|file|secret|secrets):)?[\w.-]+\}|\$\{\/\}|\{(?:env|file):[\w./~-]+\}|\$env:\w+|\$\w+|%\w+%|\{\{\s*[\w.-]+\s*\}\}|\bop:\/\/[^\s"']+/g;

/** Not counting those that stand for an invisible character. */
const hasLetters = (text: string): boolean => /[\p{L}\p{N}]/u.test(text.replaceAll(/⟨U\+[0-9A-F]{4,6}⟩/g, ''));

export const hasReference = (text: string): boolean => text.search(reference) !== -1;
/** The text contains only references and separators. */
export const isReference = (text: string): boolean => hasReference(text) && !hasLetters(text.replaceAll(reference, ''));
/** Replaces the literal text between references, because it may be a secret. */
export function betweenReferences(text: string, replace: (literal: string) => string): string {
  const parts: string[] = [];
  const add = (literal: string) => parts.push(hasLetters(literal) ? replace(literal) : literal);
  let at = 0;
  for (const match of text.matchAll(reference)) {
    add(text.slice(at, match.index));
    parts.push(match[0]);
    at = match.index + match[0].length;
  }
  add(text.slice(at));
  return parts.join('');
}

/** Placeholders for secrets in examples: "<your-key>", "YOUR_API_KEY", "xxxx", "…". */
export const isPlaceholder = (text: string): boolean =>
  /^(?:<[^>]*>|\[[^\]]*\]|(?:your|my|insert|enter|add|put|paste|replace|example|sample|dummy|fake)[\s_-].*|[x*.…•-]+|todo|tbd|none|null|undefined|n\/a|change[\s_-]?me|.*[\s_-]here)$/i.test(
    text.trim(),
  );

/** Values that are never secret, whatever their name: switches, small numbers, file paths. */
export const isPlainValue = (text: string): boolean =>
  /^(?:true|false|yes|no|on|off|null|\d{1,5})$/i.test(text) || isPath(text);

export const isPath = (text: string): boolean =>
  /^(?:~[\\/]|\.{1,2}[\\/]|[\\/](?![\\/=+])|[A-Za-z]:[\\/])[^\n;=]*$/.test(text);
