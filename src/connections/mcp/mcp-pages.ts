import { NotSent } from '../connections.error.js';

const maxPages = 10_000;

/** What a server lists, page by page. A server that never comes to an end is left with an error. */
export async function* everyPage<Page extends { nextCursor?: string }>(
  what: string,
  listPage: (cursor?: string) => Promise<Page>,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count++) {
    const page = await listPage(cursor);
    yield page;
    if (page.nextCursor === undefined) return;
    if (page.nextCursor === cursor) throw new NotSent(`The server lists the same page of ${what} again and again.`);
    cursor = page.nextCursor;
  }
  throw new NotSent(`The server lists its ${what} on more pages than are read.`);
}
