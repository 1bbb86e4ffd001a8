/** Removes these characters from the end. `/[…]+$/` takes quadratic time for long runs inside the text. */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return text.slice(0, end);
}
