import { NotSent } from '../connections/connections.error.js';

const maxPages = 10_000;

/** Reads all pages of a list. Fails if the server does not come to a last page. */
export async function* everyPage<Page extends { nextCursor?: string }>(
  what: string,
  listPage: (cursor?: string) => Promise<Page>,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count++) {
    const page = await listPage(cursor);
    yield page;
    if (page.nextCursor === undefined) return;
    if (page.nextCursor === cursor) throw new NotSent(`The server returns the same page of ${what} repeatedly.`);
    cursor = page.nextCursor;
  }
  throw new NotSent(`The server lists its ${what} on too many pages.`);
}
