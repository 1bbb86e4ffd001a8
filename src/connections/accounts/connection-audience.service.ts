import { Injectable } from '@nestjs/common';
import type { Principal } from '../../principal/principal.js';

/** Whether this person may use this connection. */
type AudienceCheck = (principal: Principal, connectionId: string) => Promise<boolean>;

/** Who may know of a connection and connect an account: whoever may use it. The room that knows who that is says so here. */
@Injectable()
export class ConnectionAudienceService {
  private check: AudienceCheck = async () => false;

  /** In `onModuleInit`. */
  register(check: AudienceCheck): void {
    this.check = check;
  }

  async includes(principal: Principal, connectionId: string): Promise<boolean> {
    return principal.permissions.has('connections:manage') || this.check(principal, connectionId);
  }
}
