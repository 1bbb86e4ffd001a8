/** Lower case without accents, so that "CAFÉ" and "cafe" are one word. */
export const foldWord = (written: string): string =>
  written
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'o');
