import { Injectable } from '@nestjs/common';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import type { Caller } from './caller.js';
import { Names } from './names.js';

const keptMs = 1000;
const most = 1000;

/** Looked up once a second: a name opens nothing, and what it stands for is decided anew with every call. */
@Injectable()
export class Naming {
  private readonly kept = new Map<string, { until: number; names: Promise<Names> }>();

  constructor(private readonly configurations: ConfigurationsService) {}

  of(caller: Caller): Promise<Names> {
    const key = `${caller.principal.tenantId} ${caller.configurationId}`;
    const known = this.kept.get(key);
    if (known && known.until > performance.now()) return known.names;
    const names = this.find(caller);
    this.kept.delete(key);
    this.kept.set(key, { until: performance.now() + keptMs, names });
    if (this.kept.size > most) this.kept.delete(this.kept.keys().next().value!);
    names.catch(() => this.kept.delete(key));
    return names;
  }

  private async find({ principal, configurationId }: Caller): Promise<Names> {
    const configuration = await this.configurations.get(principal, configurationId);
    if (!configuration.unprefixed) return new Names(null);
    const [only] = await this.configurations.connections(principal, configuration);
    return new Names(only?.slug ?? null);
  }
}
