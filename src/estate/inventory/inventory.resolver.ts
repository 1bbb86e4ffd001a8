import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateFile } from './estate-file.entity.js';
import { EstateServer } from './estate-server.entity.js';
import { EstateSource } from './estate-source.entity.js';
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
import { InventoryService } from './inventory.service.js';

@Resolver()
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class InventoryResolver {
  constructor(private readonly inventory: InventoryService) {}

  @Query(() => EstateCounts, { description: 'How much of AI configurations is known.' })
  estateCounts(@CurrentPrincipal() principal: Principal) {
    return this.inventory.counts(principal);
  }

  @Query(() => EstateFileConnection, { description: 'Configuration files of AI clients, by their paths.' })
  estateFiles(@CurrentPrincipal() principal: Principal, @Args() { first, after, ...filter }: EstateFilesArgs) {
    return this.inventory.files(principal, { first, after }, filter);
  }

  @Query(() => EstateFile)
  estateFile(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.inventory.file(principal, id);
  }

  @Query(() => EstateServerConnection, { description: 'MCP servers that are configured anywhere, by their names.' })
  estateServers(@CurrentPrincipal() principal: Principal, @Args() { first, after, ...filter }: EstateServersArgs) {
    return this.inventory.servers(principal, { first, after }, filter);
  }

  @Query(() => EstateServer)
  estateServer(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.inventory.server(principal, id);
  }

  @Query(() => EstateSourceConnection, {
    description: 'Devices that upload and folders that are looked through, by name.',
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
    description: 'Has a connected folder looked through now, or right after the look that is going on.',
  })
  @Allow('estate:manage')
  scanEstateFolder(@CurrentPrincipal() principal: Principal, @Args('input') { sourceId }: EstateSourceInput) {
    return this.inventory.requestScan(principal, sourceId);
  }

  @Mutation(() => EstateFile, {
    description:
      'Releases a file from quarantine. It is read once more: now if it lies in a connected folder, otherwise with the next upload of its device.',
  })
  @Allow('estate:manage')
  retryEstateFile(@CurrentPrincipal() principal: Principal, @Args('input') { fileId }: EstateFileInput) {
    return this.inventory.retryFile(principal, fileId);
  }

  @AllowAdminToken()
  @Mutation(() => EstateSource, {
    description:
      'Takes all files of a device for gone. What they were stays in their history; if the device uploads again, it is back.',
  })
  @Allow('estate:manage')
  removeEstateDevice(@CurrentPrincipal() principal: Principal, @Args('input') { sourceId }: EstateSourceInput) {
    return this.inventory.forgetDevice(principal, sourceId);
  }

  @Mutation(() => EstateSource, {
    description:
      'Frees a device from the key and the secret of its uploads; the next upload binds it again. In a session only.',
  })
  @Allow('estate:manage')
  releaseEstateDevice(@CurrentPrincipal() principal: Principal, @Args('input') { sourceId }: EstateSourceInput) {
    return this.inventory.releaseDevice(principal, sourceId);
  }
}
