import { Injectable } from '@nestjs/common';
import { requireFresh } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Principal } from '../principal/principal.js';
import { accountIdOf } from './account-id.js';
import { cliClientId, cliClientFacts, resourceOf } from './client-facts.js';
import { type DeviceOwner, findPendingDevice, storeDeviceDecision, storeGrantDevice } from './device.system.sql.js';
import { createGrant } from './create-grant.js';
import { deviceNotWaiting } from './oauth.error.js';
import { OauthTransactionService } from './oauth-transaction.service.js';
import { ProviderService } from './provider.service.js';
import { requestedScope } from './scopes.js';
import { normalUserCode, userCodeHash, userCodePurpose } from './user-code.js';

/** A terminal that shows a code and waits for a decision. */
export interface PendingDevice {
  /** Formatted as the terminal shows it. */
  code: string;
  scopes: string[];
  /** The network address and the user agent of its request. */
  address: string | null;
  program: string | null;
  since: Date;
}

/** The person's side of RFC 8628. The library's own pages need the codes in plain text; these work with digests. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly transaction: OauthTransactionService,
    private readonly providers: ProviderService,
    private readonly audit: AuditService,
    private readonly seal: SealService,
  ) {}

  get(principal: Principal, typed: string): Promise<PendingDevice> {
    return this.transaction.run('find a device', principal, () => this.getPending(typed));
  }

  /** The device gets tokens for this person with its next poll. */
  async approve(principal: Principal, typed: string): Promise<PendingDevice> {
    const { tenantId, memberId } = requireFresh(principal);
    const { provider } = await this.providers.current();
    return this.transaction.run('approve a device', principal, async () => {
      const device = await this.getPending(typed);
      const { scopes } = device;
      const account = accountIdOf({ tenantId, memberId });
      const resource = resourceOf(provider.issuer, cliClientFacts);
      const grant = await createGrant(provider, { accountId: account, clientId: cliClientId, resource, scopes });
      const answer = { accountId: account, grantId: grant.jti, resource, scope: scopes.join(' ') };
      await this.decide(typed, answer, [grant.jti, tenantId, memberId]);
      const { address, program } = device;
      await this.transaction.execute(storeGrantDevice, [grant.jti, { address, program }]);
      await this.record(principal, 'device.approved', device, grant.jti);
      return device;
    });
  }

  decline(principal: Principal, typed: string): Promise<PendingDevice> {
    return this.transaction.run('decline a device', principal, async () => {
      const device = await this.getPending(typed);
      await this.decide(typed, { error: 'access_denied', errorDescription: 'the person declined' }, [null, null, null]);
      await this.record(principal, 'device.declined', device);
      return device;
    });
  }

  private async getPending(typed: string): Promise<PendingDevice> {
    const pending = await this.transaction.one(findPendingDevice, [this.hash(typed)]);
    if (!pending) throw deviceNotWaiting('No terminal is waiting with this code.');
    const { payload, createdAt } = pending;
    const { ip, ua } = payload.deviceInfo;
    const code = normalUserCode(typed).replace(/^(.{4})/, '$1-');
    const scopes = requestedScope(payload.params.scope).split(' ');
    return { code, scopes, address: ip ?? null, program: ua || null, since: createdAt };
  }

  private async decide(typed: string, answer: object, owner: DeviceOwner): Promise<void> {
    const isStored = await this.transaction.execute(storeDeviceDecision, [this.hash(typed), answer, ...owner]);
    if (!isStored) throw deviceNotWaiting('Somebody else has already decided about this terminal.');
  }

  private async record(
    principal: Principal,
    kind: string,
    { address, program, scopes }: PendingDevice,
    grantId?: string,
  ): Promise<void> {
    const subject = { type: 'member', id: principal.memberId!, name: principal.name };
    return this.audit.record(await this.transaction.tx(), principal, {
      kind,
      subject,
      detail: { client: cliClientId, address, program, scopes, grantId },
    });
  }

  private hash(typed: string): Buffer {
    return userCodeHash(this.seal.derive(userCodePurpose), normalUserCode(typed));
  }
}
