import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { csvHeader, csvRow } from '../../platform/http/csv.js';
import type { Principal } from '../../principal/principal.js';
import { ApprovedServersService } from '../findings/approved/approved-servers.service.js';
import { type EstateExportRow, estateColumns } from './estate-columns.js';
import type { InventoryFile } from './inventory-rows.js';
import { InventoryService } from './inventory.service.js';

/** Resolves when the sink is ready for more text. */
interface TextSink {
  write(text: string): Promise<void>;
}

const filesPerPage = 1000;

/** Writes the current inventory as CSV: each file, followed by the servers that it declares. */
@Injectable()
export class EstateExportService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly inventory: InventoryService,
    private readonly approved: ApprovedServersService,
  ) {}

  /** Each page is a consistent snapshot, and shows what the reader may see at that moment. */
  async write(principal: Principal, sink: TextSink): Promise<void> {
    await this.database.tenant(principal, (tx) => this.audit.record(tx, principal, { kind: 'estate.exported' }));
    await sink.write(csvHeader(estateColumns));
    let after: string | null | undefined;
    do {
      const { nodes, pageInfo } = await this.inventory.files(principal, { first: filesPerPage, after });
      const rows = await this.rowsOf(principal, nodes);
      await sink.write(rows.map((row) => csvRow(estateColumns, row)).join(''));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);
  }

  private async rowsOf(principal: Principal, files: readonly InventoryFile[]): Promise<EstateExportRow[]> {
    const ids = files.map(({ id }) => id);
    const origins = await this.inventory.listOriginsOfFiles(principal, ids);
    const entries = await this.inventory.listEntriesOfFiles(principal, ids);
    const approvals = await this.approved.allowedBy(principal, entries.flat());
    const approvedBy = new Map(entries.flat().map(({ id }, at) => [id, approvals[at]]));
    return files.flatMap((file, at) => {
      const source = origins[at]?.source ?? null;
      return [
        { file, source, entry: null, approvedBy: null },
        ...entries[at].map((entry) => ({ file, source, entry, approvedBy: approvedBy.get(entry.id) ?? null })),
      ];
    });
  }
}
