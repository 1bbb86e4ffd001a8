/** Languages with a stemmer. Text in an unknown language, and code, counts as English. */
export const languages = ['en', 'da', 'de', 'es', 'fi', 'fr', 'it', 'nl', 'no', 'pt', 'ru', 'sv'] as const;
export type Language = (typeof languages)[number];
export const defaultLanguage: Language = 'en';

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text);
