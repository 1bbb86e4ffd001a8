import { stemmer as stemDanish } from '@orama/stemmers/danish';
import { stemmer as stemDutch } from '@orama/stemmers/dutch';
import { stemmer as stemFinnish } from '@orama/stemmers/finnish';
import { stemmer as stemFrench } from '@orama/stemmers/french';
import { stemmer as stemGerman } from '@orama/stemmers/german';
import { stemmer as stemItalian } from '@orama/stemmers/italian';
import { stemmer as stemNorwegian } from '@orama/stemmers/norwegian';
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese';
import { stemmer as stemRussian } from '@orama/stemmers/russian';
import { stemmer as stemSpanish } from '@orama/stemmers/spanish';
import { stemmer as stemSwedish } from '@orama/stemmers/swedish';
import { stemmer as stemEnglish } from 'stemmer';
import type { Language } from './languages.js';

const stemmers: Record<Language, (word: string) => string> = {
  en: stemEnglish,
  da: stemDanish,
  de: stemGerman,
  es: stemSpanish,
  fi: stemFinnish,
  fr: stemFrench,
  it: stemItalian,
  nl: stemDutch,
  no: stemNorwegian,
  pt: stemPortuguese,
  ru: stemRussian,
  sv: stemSwedish,
};

/** The stem of a folded word. Words in another script and words with digits are returned unchanged. */
export function stem(word: string, language: Language): string {
  const isStemmed = language === 'ru' ? /^[а-я]{3,}$/ : /^[a-z]{3,}$/;
  if (isStemmed.test(word)) return stemmers[language](word);
  return /^[a-z]{3,}$/.test(word) ? stemEnglish(word) : word;
}
