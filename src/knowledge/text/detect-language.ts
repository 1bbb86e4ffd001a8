import { functionWords as otherFunctionWords } from './function-words.js';
import { defaultLanguage, languages, type Language } from './languages.js';
import { foldWord } from './fold.js';
import { stopWords } from './stop-words.js';

const word = /[\p{L}\p{M}]+/gu;
const maxWords = 2_000;
/** A language needs this share of function words, and clearly more than any other. */
const minShare = 0.12;
const minLead = 1.25;

/** The language of a text, detected by its function words. English if there are too few of them. */
export function detectLanguage(text: string): Language {
  const words = firstWords(text);
  const counts = languages.map((language) => {
    const functionWords = functionWordsOf(language);
    return { language, count: words.filter((each) => functionWords.has(each)).length };
  });
  const [best, second] = counts.sort((one, other) => other.count - one.count);
  if (best.count < 2 || best.count < words.length * minShare || best.count < second.count * minLead)
    return defaultLanguage;
  return best.language;
}

function firstWords(text: string): string[] {
  const words: string[] = [];
  for (const [each] of text.matchAll(word)) {
    words.push(foldWord(each));
    if (words.length === maxWords) break;
  }
  return words;
}

export const functionWordsOf = (language: Language): ReadonlySet<string> =>
  language === 'en' ? stopWords : otherFunctionWords[language];

const maxCharacters = 20_000;

/** The language of a document, detected by its title and the beginning of its text. */
export function languageOf(title: string, chunks: readonly { text: string }[]): Language {
  let text = title;
  for (const chunk of chunks) {
    if (text.length >= maxCharacters) break;
    text += `\n${chunk.text}`;
  }
  return detectLanguage(text.slice(0, maxCharacters));
}
