import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EstateFactsModule } from '../spend/estate-facts/estate-facts.module.js';
import { FindingsModule } from './findings/findings.module.js';
import { FolderScans } from './folders/folder-scans.service.js';
import { Intake } from './intake/intake.service.js';
import { EstateIngestController } from './intake/ingest.controller.js';
import { EstateUploads } from './intake/uploads.service.js';
import { EstateFileResolver } from './inventory/file.resolver.js';
import { InventoryResolver } from './inventory/inventory.resolver.js';
import { Inventory } from './inventory/inventory.service.js';
import { EstateServerResolver } from './inventory/server.resolver.js';
import { Fingerprints } from './redaction/fingerprints.service.js';

/** Which AI tools are configured where: only ever read, never started. */
@Module({
  imports: [AuditModule, EstateFactsModule, FindingsModule],
  controllers: [EstateIngestController],
  providers: [
    Fingerprints,
    Intake,
    EstateUploads,
    FolderScans,
    Inventory,
    InventoryResolver,
    EstateFileResolver,
    EstateServerResolver,
  ],
})
export class EstateModule {}
