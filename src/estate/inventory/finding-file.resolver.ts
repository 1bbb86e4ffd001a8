import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateFinding } from '../findings/finding.entity.js';
import { EstateFile } from './estate-file.entity.js';
import type { InventoryFile } from './inventory-rows.js';
import { InventoryService } from './inventory.service.js';

/** The file of a finding, which tells its device and owner. */
@Resolver(() => EstateFinding)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class FindingFileResolver {
  private readonly files: RequestLoader<Principal, InventoryFile | null>;

  constructor(inventory: InventoryService) {
    this.files = new RequestLoader((principal, ids) => inventory.listFilesById(principal, ids));
  }

  @ResolveField(() => EstateFile, {
    nullable: true,
    description: 'That file, with its device or folder and its owner; null for findings about several files.',
  })
  file(@CurrentPrincipal() principal: Principal, @Parent() { fileId }: EstateFinding) {
    return fileId && this.files.load(principal, fileId);
  }
}
