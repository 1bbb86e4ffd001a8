import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ClientUsageRegistry } from './client-usage/client-usage-registry.service.js';
import { VendorIdentitiesResolver } from './identities/vendor-identities.resolver.js';
import { VendorIdentitiesService } from './identities/vendor-identities.service.js';
import { PeopleImportResolver } from './imports/people-import.resolver.js';
import { PeopleImportService } from './imports/people-import.service.js';
import { PeopleExportController } from './imports/people-export.controller.js';
import { PeopleExportService } from './imports/people-export.service.js';
import { IdentityMatchingService } from './identity-matching.service.js';
import { MemberPeopleSyncService } from './member-people-sync.service.js';
import { PersonMergeHookRegistry } from './person-merge-hook-registry.service.js';
import { PersonMergeService } from './person-merge.service.js';
import { PeopleResolver } from './people.resolver.js';
import { PeopleService } from './people.service.js';
import { PseudonymsResolver } from './views/pseudonyms.resolver.js';
import { PseudonymsService } from './views/pseudonyms.service.js';
import { PeopleVisibilityService } from './people-visibility.service.js';
import { MatchSuggestionsService } from './identities/match-suggestions.service.js';
import { UnitsResolver } from './units/units.resolver.js';
import { UnitsService } from './units/units.service.js';
import { AnalystViewsResolver } from './views/analyst-views.resolver.js';
import { AnalystViewsService } from './views/analyst-views.service.js';

const services = [
  ClientUsageRegistry,
  PersonMergeHookRegistry,
  VendorIdentitiesService,
  PeopleImportService,
  IdentityMatchingService,
  MemberPeopleSyncService,
  PersonMergeService,
  PeopleService,
  PeopleExportService,
  PseudonymsService,
  PeopleVisibilityService,
  MatchSuggestionsService,
  UnitsService,
  AnalystViewsService,
];
const resolvers = [
  VendorIdentitiesResolver,
  PeopleImportResolver,
  PeopleResolver,
  PseudonymsResolver,
  UnitsResolver,
  AnalystViewsResolver,
];

/** People behind the identities of vendors, their groups and cost centres, and who may see data of individuals. */
@Module({
  imports: [AccessModule, AuditModule],
  controllers: [PeopleExportController],
  providers: [...services, ...resolvers],
  exports: [
    ClientUsageRegistry,
    IdentityMatchingService,
    PeopleVisibilityService,
    PersonMergeHookRegistry,
    UnitsService,
  ],
})
export class PeopleModule {}
