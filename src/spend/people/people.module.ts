import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AuditModule } from '../../audit/audit.module.js';
import { IdentitiesResolver } from './identities/identities.resolver.js';
import { Identities } from './identities/identities.service.js';
import { ListsResolver } from './lists/lists.resolver.js';
import { Lists } from './lists/lists.service.js';
import { PresentList } from './lists/present-list.service.js';
import { Matching } from './matching.service.js';
import { MembersAsPeople } from './members-as-people.service.js';
import { Merging } from './merging.service.js';
import { PeopleResolver } from './people.resolver.js';
import { People } from './people.service.js';
import { PseudonymsResolver } from './views/pseudonyms.resolver.js';
import { Pseudonyms } from './views/pseudonyms.service.js';
import { Sight } from './sight.service.js';
import { Suggestions } from './identities/suggestions.service.js';
import { UnitsResolver } from './units/units.resolver.js';
import { Units } from './units/units.service.js';
import { ViewsResolver } from './views/views.resolver.js';
import { Views } from './views/views.service.js';

const services = [
  Identities,
  Lists,
  Matching,
  MembersAsPeople,
  Merging,
  People,
  PresentList,
  Pseudonyms,
  Sight,
  Suggestions,
  Units,
  Views,
];
const resolvers = [IdentitiesResolver, ListsResolver, PeopleResolver, PseudonymsResolver, UnitsResolver, ViewsResolver];

/** Whose the usage is, and who may see single people. */
@Module({
  imports: [AccessModule, AuditModule],
  providers: [...services, ...resolvers],
  exports: [Matching, PresentList, Sight],
})
export class PeopleModule {}
