import { Injectable } from '@nestjs/common';
import {
  type ListedPrompt,
  type ListedResource,
  type ListedTemplate,
  UpstreamCatalogueService,
} from '../connections/upstream-catalogue.service.js';
import { GateService, type ListedTool } from '../gate/gate.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { McpCaller } from './mcp-caller.js';
import { WireNamesService } from './wire-names.service.js';

/** Resources, templates and prompts of the connections whose policy allows the caller to read them. */
@Injectable()
export class UpstreamListsService {
  constructor(
    private readonly gate: GateService,
    private readonly catalogue: UpstreamCatalogueService,
    private readonly wireNames: WireNamesService,
    private readonly log: LogService,
  ) {}

  async resources(caller: McpCaller, signal: AbortSignal): Promise<ListedResource[]> {
    const names = await this.wireNames.of(caller);
    return this.listEach(caller, 'resources', async ({ connectionId, connectionSlug }) =>
      (await this.catalogue.resources(caller.principal, connectionId!, signal)).map((resource) => ({
        ...resource,
        uri: names.toWireUri(connectionSlug, resource.uri),
      })),
    );
  }

  async templates(caller: McpCaller, signal: AbortSignal): Promise<ListedTemplate[]> {
    const names = await this.wireNames.of(caller);
    return this.listEach(caller, 'resources', async ({ connectionId, connectionSlug }) =>
      (await this.catalogue.templates(caller.principal, connectionId!, signal)).map((template) => ({
        ...template,
        uriTemplate: names.toWireUri(connectionSlug, template.uriTemplate),
      })),
    );
  }

  async prompts(caller: McpCaller, signal: AbortSignal): Promise<ListedPrompt[]> {
    const names = await this.wireNames.of(caller);
    return this.listEach(caller, 'prompts', async ({ connectionId, connectionSlug }) =>
      (await this.catalogue.prompts(caller.principal, connectionId!, signal)).map((prompt) => ({
        ...prompt,
        name: names.toWireName(`${connectionSlug}__${prompt.name}`),
      })),
    );
  }

  /** A system that does not answer does not affect the lists of the others. */
  private async listEach<T>(
    { principal, configurationId }: McpCaller,
    operation: 'resources' | 'prompts',
    list: (offer: ListedTool) => Promise<T[]>,
  ): Promise<T[]> {
    const operations = await this.gate.listOperations(principal, configurationId);
    const matching = operations.filter((offer) => offer.operation === operation && offer.connectionId !== null);
    const lists = matching.map((offer) =>
      list(offer).catch((error: unknown) => {
        this.log.debug({ err: error, connection: offer.connectionSlug }, `upstream ${operation} could not be listed`);
        return [];
      }),
    );
    return (await Promise.all(lists)).flat();
  }
}
