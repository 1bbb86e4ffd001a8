import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { GroupMember } from '../access/group-member.entity.js';
import { ToolsService } from '../connections/tools.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { isolatedJob } from '../platform/isolation/isolated-job.js';
import type { Principal } from '../principal/principal.js';
import { ConfigurationPartsRegistry } from './configuration-parts-registry.service.js';
import { PoliciesService } from './policies.service.js';
import { runPolicyJob } from './run-policy-job.js';
import type { PolicyComparison, VerdictChange } from './verdict-changes.js';
import { toEvaluatedTool } from './tool-plan.js';

const job = isolatedJob<PolicyComparison, VerdictChange[]>(
  'policy-comparison',
  new URL('./compare-policies.isolated.js', import.meta.url),
  { cpuMs: 15_000, residentMb: 400 },
);

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Compares a policy text with the published one, in a worker process, because a text may be slow to evaluate. */
@Injectable()
export class PolicyComparisonService {
  constructor(
    private readonly database: DatabaseService,
    private readonly policies: PoliciesService,
    private readonly tools: ToolsService,
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
  ) {}

  /** The tools of the configuration whose verdict the text would change. Refuses a text that cannot be published. */
  async compare(principal: Principal, configurationId: string, text: string): Promise<VerdictChange[]> {
    await this.policies.requireValid(principal, configurationId, text);
    const comparison = await this.database.tenant(principal, (tx) => this.load(tx, principal, configurationId, text));
    return runPolicyJob(job, comparison, principal.tenantId);
  }

  private async load(tx: Tx, principal: Principal, configurationId: string, after: string): Promise<PolicyComparison> {
    const { tenantId } = principal;
    const { connectionIds, groupIds } = await this.configurationPartsRegistry.load(tx, tenantId, configurationId);
    const before = (await this.policies.findCurrent(tx, tenantId, configurationId))?.text ?? '';
    const offered = await this.tools.list(principal, { configurationId, connectionIds, tx });
    return {
      before,
      after,
      tools: offered.map(toEvaluatedTool),
      groupIds,
      memberGroups: await groupsOfNamed(tx, tenantId, before + after),
    };
  }
}

/** The groups of every member whose id is in the text. */
async function groupsOfNamed(tx: Tx, tenantId: string, text: string): Promise<Record<string, string[]>> {
  const ids = [...new Set(text.match(uuids) ?? [])];
  if (!ids.length) return {};
  const rows = await tx.findBy(GroupMember, { tenantId, memberId: In(ids) });
  const groups = Map.groupBy(rows, ({ memberId }) => memberId);
  return Object.fromEntries([...groups].map(([id, own]) => [id, own.map(({ groupId }) => groupId)]));
}
