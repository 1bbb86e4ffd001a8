import { Injectable } from '@nestjs/common';
import {
  type ListedPrompt,
  type ListedResource,
  type ListedTemplate,
  UpstreamCatalogue,
} from '../connections/upstream-catalogue.service.js';
import { GateService, type ListedTool } from '../gate/gate.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import type { Caller } from './caller.js';
import { Naming } from './naming.service.js';

/** What connected systems list beside their tools, of those connections whose policy lets the caller read it. */
@Injectable()
export class UpstreamLists {
  constructor(
    private readonly gate: GateService,
    private readonly catalogue: UpstreamCatalogue,
    private readonly naming: Naming,
    private readonly log: Log,
  ) {}

  async resources(caller: Caller, signal: AbortSignal): Promise<ListedResource[]> {
    const names = await this.naming.of(caller);
    return this.gather(caller, 'resources', async ({ connectionId, connectionSlug }) =>
      (await this.catalogue.resources(caller.principal, connectionId!, signal)).map((resource) => ({
        ...resource,
        uri: names.uriShown(connectionSlug, resource.uri),
      })),
    );
  }

  async templates(caller: Caller, signal: AbortSignal): Promise<ListedTemplate[]> {
    const names = await this.naming.of(caller);
    return this.gather(caller, 'resources', async ({ connectionId, connectionSlug }) =>
      (await this.catalogue.templates(caller.principal, connectionId!, signal)).map((template) => ({
        ...template,
        uriTemplate: names.uriShown(connectionSlug, template.uriTemplate),
      })),
    );
  }

  async prompts(caller: Caller, signal: AbortSignal): Promise<ListedPrompt[]> {
    const names = await this.naming.of(caller);
    return this.gather(caller, 'prompts', async ({ connectionId, connectionSlug }) =>
      (await this.catalogue.prompts(caller.principal, connectionId!, signal)).map((prompt) => ({
        ...prompt,
        name: names.shown(`${connectionSlug}__${prompt.name}`),
      })),
    );
  }

  /** A system that does not answer takes nothing from what the others list. */
  private async gather<T>(
    { principal, configurationId }: Caller,
    operation: 'resources' | 'prompts',
    list: (offer: ListedTool) => Promise<T[]>,
  ): Promise<T[]> {
    const offers = await this.gate.listOperations(principal, configurationId);
    const asked = offers.filter((offer) => offer.operation === operation && offer.connectionId !== null);
    const lists = asked.map((offer) =>
      list(offer).catch((error: unknown) => {
        this.log.debug({ err: error, connection: offer.connectionSlug }, `${operation} could not be listed`);
        return [];
      }),
    );
    return (await Promise.all(lists)).flat();
  }
}
