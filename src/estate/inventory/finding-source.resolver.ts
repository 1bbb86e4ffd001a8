import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateSource } from '../estate-source.entity.js';
import { EstateFinding } from '../findings/finding.entity.js';
import { EstateOwner } from '../owner-visibility.js';
import { type FileOrigin, InventoryService } from './inventory.service.js';

/** The device and the owner of the file that a finding is about. */
@Resolver(() => EstateFinding)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class FindingSourceResolver {
  private readonly origins: RequestLoader<Principal, FileOrigin | null>;

  constructor(inventory: InventoryService) {
    this.origins = new RequestLoader((principal, fileIds) => inventory.listOriginsOfFiles(principal, fileIds));
  }

  @ResolveField(() => EstateSource, { nullable: true, description: 'The device or folder of that file.' })
  async source(@CurrentPrincipal() principal: Principal, @Parent() { fileId }: EstateFinding) {
    return fileId && (await this.origins.load(principal, fileId))?.source;
  }

  @ResolveField(() => EstateOwner, {
    nullable: true,
    description: 'The owner of that file, if you are allowed to see them.',
  })
  async owner(@CurrentPrincipal() principal: Principal, @Parent() { fileId }: EstateFinding) {
    return fileId && (await this.origins.load(principal, fileId))?.owner;
  }
}
