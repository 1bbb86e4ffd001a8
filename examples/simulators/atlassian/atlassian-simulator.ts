import { HttpSimulator } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { AtlassianDirectory } from './directory.ts';

/** The rate limits of a product. */
export interface RequestLimits {
  /** The rejection of a request. Undefined if it is within the limits. */
  take(account: string): SimulatedReply | undefined;
  readonly headers: Record<string, string>;
}

interface SimulatorParts<Site, Limits> {
  site: Site;
  limits: Limits;
  /** Precedes the path of every route. */
  prefix?: string;
  /** The body of a 401. */
  unauthenticated: object;
  /** The body of a 404. */
  unknownRoute: object;
}

/** What the simulators of Jira and Confluence share: server, sign-in, rate limits, and routes that get the account. */
export abstract class AtlassianSimulator<Site extends { directory: AtlassianDirectory }, Limits extends RequestLimits> {
  readonly site: Site;
  readonly http = new HttpSimulator();
  readonly limits: Limits;
  private readonly prefix: string;

  protected constructor({ site, limits, prefix = '', unauthenticated, unknownRoute }: SimulatorParts<Site, Limits>) {
    this.site = site;
    this.limits = limits;
    this.prefix = prefix;
    this.http.before = (request) => {
      const account = this.accountOf(request);
      return account ? this.limits.take(account) : (this.anonymous(request) ?? { status: 401, body: unauthenticated });
    };
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

  /** The reply to a request without a credential, if the product has anonymous visitors. */
  protected anonymous(_request: SimulatedRequest): SimulatedReply | undefined {
    return undefined;
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
