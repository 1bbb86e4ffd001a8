/**
 * Masks the names of home folders, which identify people: "/home/ada/shop" becomes "/home/•/shop", anywhere in a text.
 */
export const maskHomeFolders = (text: string): string =>
  text.replace(/(^|[^\w.-])(home|Users)([\\/]+)[^\\/"”,;:]+/gi, '$1$2$3•');

/** The same for all strings of a JSON value. */
export const maskHomeFoldersIn = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? maskHomeFolders(part) : part,
  ) as T;
