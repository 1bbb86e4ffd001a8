import { Injectable } from '@nestjs/common';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { decodeCursor, type Page, type PageArgs, toPage } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import { cliClientId } from '../client-facts.js';
import { GrantsService } from '../grants.service.js';
import { deviceNotFound } from '../oauth.error.js';
import { type ConnectedDeviceRow, selectDevicePage, selectDevices } from './connected-devices.sql.js';

export type { ConnectedDeviceRow } from './connected-devices.sql.js';

/** The terminals that people have connected. The person and administrators can disconnect them. */
@Injectable()
export class ConnectedDevicesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly grants: GrantsService,
  ) {}

  /** The person's own devices, newest first. */
  listOwn(principal: Principal): Promise<ConnectedDeviceRow[]> {
    const { tenantId, memberId } = requireSession(principal);
    return this.database.tenant(principal, (tx) => tx.run(selectDevices, [tenantId, cliClientId, memberId, null]));
  }

  /** For administrators: newest first, of everyone or of one member. */
  async listPage(
    principal: Principal,
    memberId: string | undefined,
    { first, after }: PageArgs,
  ): Promise<Page<ConnectedDeviceRow>> {
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    const rows = await this.database.tenant(principal, (tx) =>
      tx.run(selectDevicePage, [principal.tenantId, cliClientId, memberId ?? null, null, last, first + 1]),
    );
    return toPage(rows, first, rows[0]?.total ?? 0, ({ id }) => [id]);
  }

  /** The device that sends the request. */
  async getCurrent(principal: Principal): Promise<ConnectedDeviceRow> {
    const { tenantId, memberId, keyId } = principal;
    const device = await this.database.tenant(principal, (tx) =>
      tx.one(selectDevices, [tenantId, cliClientId, memberId ?? null, keyId ?? null]),
    );
    if (!device) throw deviceNotFound('The terminal is no longer connected.');
    return device;
  }

  revokeOwn(principal: Principal, id: string): Promise<void> {
    return this.revokeOf(principal, id, requireSession(principal).memberId);
  }

  /** For administrators: of any member. */
  revoke(principal: Principal, id: string): Promise<void> {
    return this.revokeOf(principal, id, null);
  }

  private revokeOf(principal: Principal, id: string, memberId: string | null): Promise<void> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const device = await tx.one(selectDevices, [tenantId, cliClientId, memberId, id]);
      if (!device) throw deviceNotFound('No such terminal is connected.');
      await this.grants.revoke(tx, principal, { grantId: id });
      const { address, program } = device;
      await this.audit.record(tx, principal, {
        kind: 'device.revoked',
        subject: { type: 'member', id: device.memberId, name: device.memberName },
        detail: { client: cliClientId, grantId: id, address, program },
      });
    });
  }
}
