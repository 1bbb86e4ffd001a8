import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PeopleModule } from '../people/people.module.js';
import { FindingsModule } from './findings/findings.module.js';
import { FolderScanService } from './folders/folder-scan.service.js';
import { IntakeService } from './intake/intake.service.js';
import { EstateIngestController } from './intake/ingest.controller.js';
import { EstateUploadService } from './intake/estate-upload.service.js';
import { EstateExportController } from './inventory/estate-export.controller.js';
import { EstateExportService } from './inventory/estate-export.service.js';
import { EstateEntryResolver } from './inventory/entry.resolver.js';
import { EstateFileResolver } from './inventory/file.resolver.js';
import { FindingSourceResolver } from './inventory/finding-source.resolver.js';
import { InventoryResolver } from './inventory/inventory.resolver.js';
import { InventoryAdministrationService } from './inventory/inventory-administration.service.js';
import { InventoryService } from './inventory/inventory.service.js';
import { EstateServerResolver } from './inventory/server.resolver.js';
import { FingerprintService } from './redaction/fingerprint.service.js';

/** The inventory of AI configurations. Configured servers are never started. */
@Module({
  imports: [AuditModule, FindingsModule, PeopleModule],
  controllers: [EstateIngestController, EstateExportController],
  providers: [
    FingerprintService,
    IntakeService,
    EstateUploadService,
    FolderScanService,
    InventoryService,
    EstateExportService,
    InventoryAdministrationService,
    InventoryResolver,
    EstateFileResolver,
    EstateServerResolver,
    EstateEntryResolver,
    FindingSourceResolver,
  ],
})
export class EstateModule {}
