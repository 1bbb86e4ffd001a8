import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateFile } from './estate-file.entity.js';
import { EstateServer } from './estate-server.entity.js';
import { EstateSource } from '../estate-source.entity.js';
import {
  EstateCounts,
  EstateFileConnection,
  EstateFileInput,
  EstateFilesArgs,
  EstateServerConnection,
  EstateServersArgs,
  EstateSourceConnection,
  EstateSourceInput,
  EstateSourcesArgs,
} from './inventory.input.js';
import { InventoryAdministrationService } from './inventory-administration.service.js';
import { InventoryService } from './inventory.service.js';

@Resolver()
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class InventoryResolver {
  constructor(
    private readonly inventory: InventoryService,
    private readonly administration: InventoryAdministrationService,
  ) {}

  @Query(() => EstateCounts, { description: 'The size of the inventory of AI configurations.' })
  estateCounts(@CurrentPrincipal() principal: Principal) {
    return this.inventory.counts(principal);
  }

  @Query(() => EstateFileConnection, { description: 'Configuration files of AI clients, by path.' })
  estateFiles(@CurrentPrincipal() principal: Principal, @Args() { first, after, ...filter }: EstateFilesArgs) {
    return this.inventory.files(principal, { first, after }, filter);
  }

  @Query(() => EstateFile)
  estateFile(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.inventory.file(principal, id);
  }

  @Query(() => EstateServerConnection, { description: 'Configured MCP servers, by name.' })
  estateServers(@CurrentPrincipal() principal: Principal, @Args() { first, after, ...filter }: EstateServersArgs) {
    return this.inventory.servers(principal, { first, after }, filter);
  }

  @Query(() => EstateServer)
  estateServer(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.inventory.server(principal, id);
  }

  @Query(() => EstateSourceConnection, {
    description: 'Devices that upload and folders that are scanned, by name.',
  })
  estateSources(@CurrentPrincipal() principal: Principal, @Args() { first, after, ...filter }: EstateSourcesArgs) {
    return this.inventory.sources(principal, { first, after }, filter);
  }

  @Query(() => EstateSource)
  estateSource(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.inventory.source(principal, id);
  }

  @AllowAdminToken()
  @Mutation(() => EstateSource, {
    description: 'Scans a connected folder now, or right after the current scan.',
  })
  @Allow('estate:manage')
  scanEstateFolder(@CurrentPrincipal() principal: Principal, @Args('input') { sourceId }: EstateSourceInput) {
    return this.administration.requestScan(principal, sourceId);
  }

  @Mutation(() => EstateFile, {
    description:
      'Releases a file from quarantine. A file in a connected folder is read again now, a file of a device with its next upload.',
  })
  @Allow('estate:manage')
  retryEstateFile(@CurrentPrincipal() principal: Principal, @Args('input') { fileId }: EstateFileInput) {
    return this.administration.retryFile(principal, fileId);
  }

  @AllowAdminToken()
  @Mutation(() => EstateSource, {
    description:
      'Removes a device and marks all its files as gone. Their history remains. If the device uploads again, it reappears.',
  })
  @Allow('estate:manage')
  removeEstateDevice(@CurrentPrincipal() principal: Principal, @Args('input') { sourceId }: EstateSourceInput) {
    return this.administration.forgetDevice(principal, sourceId);
  }

  @Mutation(() => EstateSource, {
    description: 'Releases a device from its key and its secret. The next upload binds it again. Requires a session.',
  })
  @Allow('estate:manage')
  releaseEstateDevice(@CurrentPrincipal() principal: Principal, @Args('input') { sourceId }: EstateSourceInput) {
    return this.administration.releaseDevice(principal, sourceId);
  }
}
