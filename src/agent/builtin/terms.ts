import { stemmer } from 'stemmer';

/** Words that carry no topic. */
const stopWords = new Set(
  (
    'a an the and or but if of in on at by for from to with without about into onto over under than then so as is are was were be been being am do does did done ' +
    'has have had having will would shall should can could may might must i me my we us our you your he him his she her it its they them their this that these those ' +
    'there here what which who whom whose when where why how much many long often far soon any some every each all both either neither no not only just also very ' +
    'please tell explain describe know find give show say get got go want need like use used using per s t re ve ll d does happen happens mean called one'
  ).split(' '),
);

/** The informative words of a text, stemmed and without duplicates. `AB-12`, `v2` and `0.5` are words. */
export function terms(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu) ?? []) {
    if (stopWords.has(word)) continue;
    found.add(stem(word));
    for (const piece of word.split(/[._-]/))
      if (piece !== word && piece.length > 1 && !stopWords.has(piece)) found.add(stem(piece));
  }
  return found;
}

const stem = (word: string) => (/^[a-z]+$/.test(word) ? stemmer(word) : word);
