import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AuditModule } from '../../audit/audit.module.js';
import { VendorIdentitiesResolver } from './identities/vendor-identities.resolver.js';
import { VendorIdentitiesService } from './identities/vendor-identities.service.js';
import { PeopleImportResolver } from './imports/people-import.resolver.js';
import { PeopleImportService } from './imports/people-import.service.js';
import { PeopleExportService } from './imports/people-export.service.js';
import { IdentityMatchingService } from './identity-matching.service.js';
import { MemberPeopleSyncService } from './member-people-sync.service.js';
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

/** Attribution of usage to people, and access to individual usage. */
@Module({
  imports: [AccessModule, AuditModule],
  providers: [...services, ...resolvers],
  exports: [IdentityMatchingService, PeopleExportService, PeopleVisibilityService],
})
export class PeopleModule {}
