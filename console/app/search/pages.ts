import { isOpen, type Place } from '../../kit/place.ts';
import { areas } from '../areas.ts';
import { type Result, resultsPerGroup } from './results.ts';

interface Page extends Result {
  /** In lower case, with a space before each. */
  words: string;
}

const account: Place = { label: 'Account', to: '/account', keywords: 'profile password passkeys sessions browsers' };

const wordsOf = (...texts: (string | undefined)[]): string =>
  ` ${texts.join(' ')}`.toLowerCase().replaceAll(/[\s-]+/g, ' ');
const toPage = ({ label, to, keywords }: Place, area?: string): Page => ({
  to,
  name: label,
  detail: area,
  words: wordsOf(label, area, keywords),
});

/** The pages of the navigation that the person may open. Areas with several pages are represented by those pages. */
function openPages(may: (permission: string) => boolean): Page[] {
  const open = areas.filter((area) => isOpen(area, may));
  const pages = open.flatMap(
    (area) =>
      area.within?.filter((place) => isOpen(place, may)).map((place) => toPage(place, area.label)) ?? toPage(area),
  );
  return [...pages, toPage(account)];
}

/** Pages with words that begin with each word of the text; those with it in their names first. No text: all pages. */
export function findPages(text: string, may: (permission: string) => boolean): Result[] {
  const pages = openPages(may);
  if (!text) return pages;
  const searched = wordsOf(text).trim().split(' ');
  const isNamed = ({ name }: Page) => wordsOf(name).includes(wordsOf(text).trimEnd());
  const found = pages.filter(({ words }) => searched.every((word) => words.includes(` ${word}`)));
  return [...found.filter(isNamed), ...found.filter((page) => !isNamed(page))].slice(0, resultsPerGroup);
}
