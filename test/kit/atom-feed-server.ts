import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FeedEntry {
  id: string;
  title: string;
  text: string;
  at: string;
}

/** A web server with an Atom feed, like that of a news site. */
export class AtomFeedServer {
  private constructor(
    private readonly server: Server,
    public entries: FeedEntry[],
  ) {}

  static async start(entries: FeedEntry[]): Promise<AtomFeedServer> {
    const server = createServer((request, response) => {
      if (request.url === '/feed.xml') response.setHeader('content-type', 'application/atom+xml').end(feed.xml());
      else if (request.url === '/page.html') response.setHeader('content-type', 'text/html').end('<h1>No feed</h1>');
      else response.writeHead(404).end();
    });
    const feed = new AtomFeedServer(server, entries);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return feed;
  }

  url(path = '/feed.xml'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** Lets the process exit even if the server is never stopped. */
  unref(): void {
    this.server.unref();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private xml(): string {
    const entries = this.entries.map(
      ({ id, title, text, at }) =>
        `<entry><id>${id}</id><title>${title}</title><link href="https://news.example/${id}"/><updated>${at}</updated>` +
        `<summary type="html">&lt;p&gt;${text}&lt;/p&gt;</summary></entry>`,
    );
    return `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>${entries.join('')}</feed>`;
  }
}
