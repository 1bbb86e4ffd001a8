/** Enough of a token to recognize it, too little to guess it: the prefix and four characters. */
export const hintOf = (token: string): string => `${token.slice(0, 'cs_adm_'.length + 4)}…`;
