import { Injectable } from '@nestjs/common';
import type { Principal } from '../principal/principal.js';

/** Whether this person may use this connection. */
type AudienceCheck = (principal: Principal, connectionId: string) => Promise<boolean>;

/**
 * People who may use a connection may see it and connect an account. The module that knows them registers the check.
 */
@Injectable()
export class ConnectionAudienceService {
  private check: AudienceCheck = async () => false;

  /** Called in `onModuleInit`. */
  register(check: AudienceCheck): void {
    this.check = check;
  }

  async includes(principal: Principal, connectionId: string): Promise<boolean> {
    return principal.permissions.has('connections:manage') || this.check(principal, connectionId);
  }
}
