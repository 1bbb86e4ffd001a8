import type {
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { GateService } from '../gate/gate.service.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import type { McpCaller } from './mcp-caller.js';
import { KnowledgeResourcesService } from './knowledge-resources.service.js';
import { WireNamesService } from './wire-names.service.js';
import { cursorPage, compareBy, keysetPage } from './page.js';
import { toMcpTools } from './mcp-tools.js';
import { UpstreamListsService } from './upstream-lists.service.js';

/** Large enough that clients without pagination see every tool of a typical configuration. */
const toolsPageSize = 500;
const listPageSize = 100;

const byName = ({ name }: { name: string }) => name;
const byUri = ({ uri }: { uri: string }) => uri;
const byTemplate = ({ uriTemplate }: { uriTemplate: string }) => uriTemplate;

/** Lists what the policies could allow the caller to use, in a stable order. */
@Injectable()
export class ListingsService {
  constructor(
    private readonly gate: GateService,
    private readonly wireNames: WireNamesService,
    private readonly upstream: UpstreamListsService,
    private readonly knowledge: KnowledgeResourcesService,
  ) {}

  async tools(caller: McpCaller, cursor?: string): Promise<ListToolsResult> {
    const [listed, names] = await Promise.all([
      this.gate.list(caller.principal, caller.configurationId),
      this.wireNames.of(caller),
    ]);
    const { rows: tools, ...more } = cursorPage(toMcpTools(listed, names), byName, toolsPageSize, cursor);
    return { tools, ...more };
  }

  /** Resources of connected systems first, then documents. */
  async resources(caller: McpCaller, cursor: string | undefined, signal: AbortSignal): Promise<ListResourcesResult> {
    const [part, after] = cursor === undefined ? ['systems', null] : decodeCursor(cursor, ['text', 'text']);
    if (part === 'knowledge') return this.documents(caller, after || null, []);
    const all = (await this.upstream.resources(caller, signal)).sort(compareBy(byUri));
    const { rows, next } = keysetPage(all, byUri, listPageSize, after);
    return next === null
      ? this.documents(caller, null, rows)
      : { resources: rows, nextCursor: encodeCursor(['systems', next]) };
  }

  async templates(
    caller: McpCaller,
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<ListResourceTemplatesResult> {
    const [own, others] = await Promise.all([this.knowledge.template(caller), this.upstream.templates(caller, signal)]);
    const all = [...own, ...others].sort(compareBy(byTemplate));
    const { rows: resourceTemplates, ...more } = cursorPage(all, byTemplate, listPageSize, cursor);
    return { resourceTemplates, ...more };
  }

  async prompts(caller: McpCaller, cursor: string | undefined, signal: AbortSignal): Promise<ListPromptsResult> {
    const all = (await this.upstream.prompts(caller, signal)).sort(compareBy(byName));
    const { rows: prompts, ...more } = cursorPage(all, byName, listPageSize, cursor);
    return { prompts, ...more };
  }

  private async documents(
    caller: McpCaller,
    after: string | null,
    before: ListResourcesResult['resources'],
  ): Promise<ListResourcesResult> {
    const { rows, next } = await this.knowledge.resources(caller, after);
    const nextCursor = next === null ? {} : { nextCursor: encodeCursor(['knowledge', next]) };
    return { resources: [...before, ...rows], ...nextCursor };
  }
}
