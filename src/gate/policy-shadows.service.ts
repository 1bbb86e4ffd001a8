import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { firstIdAt, newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { ConfigurationPartsRegistry } from '../policies/configuration-parts-registry.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { PolicyShadow, type ShadowStopReason } from './policy-shadow.entity.js';

/** Starts and stops shadows: policy texts that are tried on new calls without deciding them. */
@Injectable()
export class PolicyShadowsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly policies: PoliciesService,
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
  ) {}

  /** The results compare with the revision that was published until now. */
  onModuleInit(): void {
    this.policies.onPublished(async (tx, { tenantId, configurationId, revision }) => {
      const principal = systemPrincipal(tenantId, 'policies');
      await this.stopIn(tx, principal, configurationId, 'published', { published: revision });
    });
  }

  find(principal: Principal, configurationId: string): Promise<PolicyShadow | null> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      await this.configurationPartsRegistry.load(tx, tenantId, configurationId);
      return tx.findOneBy(PolicyShadow, { tenantId, configurationId });
    });
  }

  /** Refuses a text that cannot be published. */
  async start(principal: Principal, configurationId: string, text: string): Promise<PolicyShadow> {
    const { memberId } = requireSession(principal);
    await this.policies.requireValid(principal, configurationId, text);
    const { tenantId, name } = principal;
    return this.database.tenant(principal, async (tx) => {
      const revision = (await this.policies.lockCurrent(tx, tenantId, configurationId))?.revision ?? 0;
      const startedAt = new Date();
      const shadow = tx.create(PolicyShadow, {
        tenantId,
        configurationId,
        id: newId(),
        text,
        revision,
        startedBy: memberId,
        starter: name,
        startedAt,
        stoppedAt: null,
        stopReason: null,
        claimedUntil: null,
        evaluatedUntil: firstIdAt(startedAt.getTime()),
        calls: 0,
        notEvaluated: 0,
        changes: [],
      });
      await tx.upsert(PolicyShadow, shadow, ['tenantId', 'configurationId']);
      await this.audit.record(tx, principal, {
        kind: 'policy.shadow_started',
        subject: { type: 'configuration', id: configurationId },
        detail: { revision, textHash: sha256(text).toString('hex') },
      });
      return shadow;
    });
  }

  stop(principal: Principal, configurationId: string): Promise<PolicyShadow | null> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      await this.configurationPartsRegistry.load(tx, tenantId, configurationId);
      await this.stopIn(tx, principal, configurationId, 'stopped');
      return tx.findOneBy(PolicyShadow, { tenantId, configurationId });
    });
  }

  /** Nothing happens if no shadow runs. */
  async stopIn(
    tx: Tx,
    principal: Principal,
    configurationId: string,
    reason: ShadowStopReason,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    const { tenantId } = principal;
    const shadow = await tx.findOne(PolicyShadow, {
      where: { tenantId, configurationId },
      lock: { mode: 'pessimistic_write' },
    });
    if (!shadow || shadow.stoppedAt) return;
    await tx.update(PolicyShadow, { tenantId, configurationId }, { stoppedAt: new Date(), stopReason: reason });
    const changed = shadow.changes.reduce((sum, { calls }) => sum + calls, 0);
    await this.audit.record(tx, principal, {
      kind: 'policy.shadow_stopped',
      subject: { type: 'configuration', id: configurationId },
      detail: { reason, calls: shadow.calls, changed, ...detail },
    });
  }
}
