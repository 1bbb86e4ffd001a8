/** Enough of a token to recognise it by, too little to guess it: the kind and four characters. */
export const hintOf = (token: string): string => `${token.slice(0, 'cs_adm_'.length + 4)}…`;
