import { Injectable } from '@nestjs/common';
import { requireFresh } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { Seal } from '../platform/crypto/seal.service.js';
import type { Principal } from '../principal/principal.js';
import { accountId } from './account-id.js';
import { cliClientId, cliClientFacts, resourceOf } from './client-facts.js';
import { decideDevice, waitingDevice, type WaitingDevice } from './device.system.sql.js';
import { beginGrant } from './existing-grant.js';
import { deviceNotWaiting } from './oauth.error.js';
import { OauthTransaction } from './oauth-transaction.service.js';
import { ProviderService } from './provider.service.js';
import { askedScope } from './scopes.js';
import { normalUserCode, userCodeHash, userCodePurpose } from './user-code.js';

/** A terminal that shows a code and waits to be let in. */
export interface Device {
  /** As the terminal shows it. */
  code: string;
  scopes: string[];
  /** Where its request came from, and what it called itself. */
  address: string | null;
  program: string | null;
  since: Date;
}

/** RFC 8628, from the person's side. The library's own pages would need the codes as they are; ours work with their digests. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly transaction: OauthTransaction,
    private readonly providers: ProviderService,
    private readonly audit: AuditService,
    private readonly seal: Seal,
  ) {}

  get(principal: Principal, typed: string): Promise<Device> {
    return this.transaction.run('look a device up', principal, () => this.waiting(typed));
  }

  /** It acts for this person from its next question on. */
  async approve(principal: Principal, typed: string): Promise<Device> {
    const { tenantId, memberId } = requireFresh(principal);
    const { provider } = await this.providers.current();
    return this.transaction.run('let a device in', principal, async () => {
      const device = await this.waiting(typed);
      const { scopes } = device;
      const account = accountId({ tenantId, memberId });
      const resource = resourceOf(provider.issuer, cliClientFacts);
      const grant = await beginGrant(provider, { accountId: account, clientId: cliClientId, resource, scopes });
      const answer = { accountId: account, grantId: grant.jti, resource, scope: scopes.join(' ') };
      await this.decide(typed, answer, [grant.jti, tenantId, memberId]);
      await this.record(principal, 'device.approved', device, grant.jti);
      return device;
    });
  }

  decline(principal: Principal, typed: string): Promise<Device> {
    return this.transaction.run('turn a device away', principal, async () => {
      const device = await this.waiting(typed);
      await this.decide(typed, { error: 'access_denied', errorDescription: 'the person declined' }, [null, null, null]);
      await this.record(principal, 'device.declined', device);
      return device;
    });
  }

  private async waiting(typed: string): Promise<Device> {
    const { rows } = await this.transaction.query<WaitingDevice>(waitingDevice, [this.hash(typed)]);
    if (!rows.length) throw deviceNotWaiting('No terminal waits with this code.');
    const [{ payload, createdAt }] = rows;
    const { ip, ua } = payload.deviceInfo;
    const code = normalUserCode(typed).replace(/^(.{4})/, '$1-');
    const scopes = askedScope(payload.params.scope).split(' ');
    return { code, scopes, address: ip ?? null, program: ua || null, since: createdAt };
  }

  private async decide(typed: string, answer: object, owner: (string | null)[]): Promise<void> {
    const { rowCount } = await this.transaction.query(decideDevice, [this.hash(typed), answer, ...owner]);
    if (!rowCount) throw deviceNotWaiting('Somebody else was faster.');
  }

  private async record(
    principal: Principal,
    kind: string,
    { address, program, scopes }: Device,
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
