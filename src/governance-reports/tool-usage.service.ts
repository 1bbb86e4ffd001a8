import { Injectable } from '@nestjs/common';
import { isCallable, ToolsService } from '../connections/tools.service.js';
import { Configuration } from '../configurations/configuration.entity.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { selectToolUsage } from './call-usage.sql.js';
import type { UnusedTool } from './governance-report.object.js';
import type { ReportRange } from './report-range.js';

interface ToolUsage {
  toolCount: number;
  /** All of them, by names of configuration and tool. */
  unused: UnusedTool[];
}

/** Which of the offered tools are called, by the ledger. */
@Injectable()
export class ToolUsageService {
  constructor(
    private readonly database: DatabaseService,
    private readonly configurations: ConfigurationsService,
    private readonly tools: ToolsService,
  ) {}

  load(principal: Principal, { startId, endId }: ReportRange): Promise<ToolUsage> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const listed = await tx.find(Configuration, { where: { tenantId }, order: { name: 'ASC', id: 'ASC' } });
      const ids = listed.map(({ id }) => id);
      const bundles = await this.configurations.findBundles(tx, tenantId, ids);
      const fingerprints = await this.configurations.toolsFingerprintsOf(tx, tenantId, ids);
      const rows = await tx.run(selectToolUsage, [tenantId, startId, endId]);
      const usage = new Map(rows.map((row) => [`${row.configurationId} ${row.tool}`, row]));
      const all: ToolUsage = { toolCount: 0, unused: [] };
      for (const { id: configurationId, name: configurationName } of listed) {
        const { connectionIds } = bundles.get(configurationId)!;
        const toolsFingerprint = fingerprints.get(configurationId);
        const offered = await this.tools.list(principal, { configurationId, connectionIds, toolsFingerprint, tx });
        for (const { name: tool, connectionId, connectionSlug, effect, ...more } of offered) {
          if (!isCallable(more)) continue;
          all.toolCount++;
          const { requests = 0, executions = 0 } = usage.get(`${configurationId} ${tool}`) ?? {};
          if (executions) continue;
          all.unused.push({ configurationId, configurationName, connectionId, connectionSlug, tool, effect, requests });
        }
      }
      return all;
    });
  }
}
