/** The text without these characters at its end. `/[…]+$/` takes time that grows with the square of a run inside of the text. */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return text.slice(0, end);
}
