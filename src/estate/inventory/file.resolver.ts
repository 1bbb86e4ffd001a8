import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateEntry } from './estate-entry.entity.js';
import { EstateFile } from './estate-file.entity.js';
import { EstateSource } from '../estate-source.entity.js';
import { EstateVersion } from './estate-version.entity.js';
import type { InventoryEntry, InventorySource, InventoryVersion } from './inventory-rows.js';
import { InventoryService } from './inventory.service.js';

/** Related data of a file. */
@Resolver(() => EstateFile)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class EstateFileResolver {
  private readonly sources: RequestLoader<Principal, InventorySource>;
  private readonly entriesOf: RequestLoader<Principal, InventoryEntry[]>;
  private readonly versionsOf: RequestLoader<Principal, InventoryVersion[]>;

  constructor(inventory: InventoryService) {
    this.sources = new RequestLoader((principal, ids) => inventory.listSourcesById(principal, ids));
    this.entriesOf = new RequestLoader((principal, ids) => inventory.listEntriesOfFiles(principal, ids));
    this.versionsOf = new RequestLoader((principal, ids) => inventory.listVersions(principal, ids));
  }

  @ResolveField(() => EstateSource)
  source(@CurrentPrincipal() principal: Principal, @Parent() { sourceId }: EstateFile) {
    return this.sources.load(principal, sourceId);
  }

  @ResolveField(() => [EstateEntry], { description: 'The entries that it currently declares, in file order.' })
  entries(@CurrentPrincipal() principal: Principal, @Parent() { id }: EstateFile) {
    return this.entriesOf.load(principal, id);
  }

  @ResolveField(() => [EstateVersion], { description: 'At most 100 versions, newest first.' })
  versions(@CurrentPrincipal() principal: Principal, @Parent() { id }: EstateFile) {
    return this.versionsOf.load(principal, id);
  }
}
