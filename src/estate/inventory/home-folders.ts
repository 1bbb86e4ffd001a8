/** Folders of people are named after them: "/home/ada/shop" becomes "/home/•/shop", wherever in a text it stands. */
export const maskHomeFolders = (text: string): string =>
  text.replace(/(^|[^\w.-])(home|Users)([\\/]+)[^\\/"”,;:]+/gi, '$1$2$3•');

/** The same in all texts of something that is kept as JSON. */
export const maskHomeFoldersIn = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? maskHomeFolders(part) : part,
  ) as T;
