import { HttpSimulator } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { AtlassianDirectory } from './directory.ts';
import { AtlassianLimits } from './limits.ts';
import type { AtlassianLimitOptions } from './limits.ts';

interface SimulatorParts<Site> {
  site: Site;
  limits?: AtlassianLimitOptions;
  /** Precedes the path of every route. */
  prefix?: string;
  /** The body of a 401. */
  unauthenticated: object;
  /** The body of a 404. */
  unknownRoute: object;
}

/** What the simulators of Jira and Confluence share: server, sign-in, rate limits, and routes that get the account. */
export abstract class AtlassianSimulator<Site extends { directory: AtlassianDirectory }> {
  readonly site: Site;
  readonly http = new HttpSimulator();
  readonly limits: AtlassianLimits;
  private readonly prefix: string;

  protected constructor({ site, limits, prefix = '', unauthenticated, unknownRoute }: SimulatorParts<Site>) {
    this.site = site;
    this.limits = new AtlassianLimits(limits);
    this.prefix = prefix;
    this.http.before = (request) =>
      this.accountOf(request) ? this.limits.take() : { status: 401, body: unauthenticated };
    this.http.headersOf = () => this.limits.headers;
    this.http.unknownRoute = { status: 404, body: unknownRoute };
  }

  get url(): string {
    return this.http.url;
  }

  stop(): Promise<void> {
    return this.http.stop();
  }

  protected async listen(port?: number): Promise<this> {
    await this.http.start(port);
    return this;
  }

  protected get(path: string, bodyOf: (request: SimulatedRequest, account: string) => object): void {
    this.on('GET', path, (request, account) => ({ body: bodyOf(request, account) }));
  }

  protected on(
    method: string,
    path: string,
    handler: (request: SimulatedRequest, account: string) => SimulatedReply,
  ): void {
    this.http.route(method, this.prefix + path, (request) => handler(request, this.accountOf(request)!));
  }

  private accountOf({ headers }: SimulatedRequest): string | null {
    return this.site.directory.accountOf(headers.authorization);
  }
}
