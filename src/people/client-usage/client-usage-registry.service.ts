import { Injectable } from '@nestjs/common';
import type { ClientUsageSource } from './client-usage.port.js';

/** Gives modules access to the usage of AI clients without a dependency on the module that syncs it from vendors. */
@Injectable()
export class ClientUsageRegistry {
  private registered?: ClientUsageSource;

  /** Call in `onModuleInit`. */
  register(source: ClientUsageSource): void {
    if (this.registered) throw new Error('a source of client usage is registered twice');
    this.registered = source;
  }

  get source(): ClientUsageSource {
    if (!this.registered) throw new Error('no source of client usage is registered');
    return this.registered;
  }
}
