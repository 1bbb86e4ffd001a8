import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateSource } from '../estate-source.entity.js';
import { EstateFinding } from '../findings/finding.entity.js';
import { EstateOwner } from '../owner-visibility.js';
import type { InventoryFile, InventorySource } from './inventory-rows.js';
import { InventoryService } from './inventory.service.js';

/** The device and the owner of the file that a finding is about. */
@Resolver(() => EstateFinding)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class FindingSourceResolver {
  private readonly files: RequestLoader<Principal, InventoryFile | null>;
  private readonly sources: RequestLoader<Principal, InventorySource>;

  constructor(inventory: InventoryService) {
    this.files = new RequestLoader((principal, ids) => inventory.listFilesById(principal, ids));
    this.sources = new RequestLoader((principal, ids) => inventory.listSourcesById(principal, ids));
  }

  @ResolveField(() => EstateSource, { nullable: true, description: 'The device or folder of that file.' })
  async source(@CurrentPrincipal() principal: Principal, @Parent() { fileId }: EstateFinding) {
    const file = fileId && (await this.files.load(principal, fileId));
    return file ? this.sources.load(principal, file.sourceId) : null;
  }

  @ResolveField(() => EstateOwner, {
    nullable: true,
    description: 'The owner of that file, if you are allowed to see them.',
  })
  async owner(@CurrentPrincipal() principal: Principal, @Parent() { fileId }: EstateFinding) {
    const file = fileId && (await this.files.load(principal, fileId));
    return file ? file.owner : null;
  }
}
