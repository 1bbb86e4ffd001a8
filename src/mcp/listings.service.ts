import type {
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { GateService } from '../gate/gate.service.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import type { Caller } from './caller.js';
import { KnowledgeShelf } from './knowledge-shelf.service.js';
import { Naming } from './naming.service.js';
import { cursorPage, inOrder, pageOf } from './page.js';
import { toolsOnWire } from './tools-on-wire.js';
import { UpstreamLists } from './upstream-lists.service.js';

/** Assistants that do not turn pages lose nothing of an ordinary configuration. */
const toolsAtOnce = 500;
const atOnce = 100;

const byName = ({ name }: { name: string }) => name;
const byUri = ({ uri }: { uri: string }) => uri;
const byTemplate = ({ uriTemplate }: { uriTemplate: string }) => uriTemplate;

/** What a caller finds here: what the policies could let them use, in an order that stays. */
@Injectable()
export class Listings {
  constructor(
    private readonly gate: GateService,
    private readonly naming: Naming,
    private readonly upstream: UpstreamLists,
    private readonly knowledge: KnowledgeShelf,
  ) {}

  async tools(caller: Caller, cursor?: string): Promise<ListToolsResult> {
    const [listed, names] = await Promise.all([
      this.gate.list(caller.principal, caller.configurationId),
      this.naming.of(caller),
    ]);
    const { rows: tools, ...more } = cursorPage(toolsOnWire(listed, names), byName, toolsAtOnce, cursor);
    return { tools, ...more };
  }

  /** First those of connected systems, then documents. */
  async resources(caller: Caller, cursor: string | undefined, signal: AbortSignal): Promise<ListResourcesResult> {
    const [part, after] = cursor === undefined ? ['systems', null] : decodeCursor(cursor, ['text', 'text']);
    if (part === 'knowledge') return this.documents(caller, after || null, []);
    const all = (await this.upstream.resources(caller, signal)).sort(inOrder(byUri));
    const { rows, next } = pageOf(all, byUri, atOnce, after);
    return next === null
      ? this.documents(caller, null, rows)
      : { resources: rows, nextCursor: encodeCursor(['systems', next]) };
  }

  async templates(
    caller: Caller,
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<ListResourceTemplatesResult> {
    const [own, others] = await Promise.all([this.knowledge.template(caller), this.upstream.templates(caller, signal)]);
    const all = [...own, ...others].sort(inOrder(byTemplate));
    const { rows: resourceTemplates, ...more } = cursorPage(all, byTemplate, atOnce, cursor);
    return { resourceTemplates, ...more };
  }

  async prompts(caller: Caller, cursor: string | undefined, signal: AbortSignal): Promise<ListPromptsResult> {
    const all = (await this.upstream.prompts(caller, signal)).sort(inOrder(byName));
    const { rows: prompts, ...more } = cursorPage(all, byName, atOnce, cursor);
    return { prompts, ...more };
  }

  private async documents(
    caller: Caller,
    after: string | null,
    before: ListResourcesResult['resources'],
  ): Promise<ListResourcesResult> {
    const { rows, next } = await this.knowledge.resources(caller, after);
    const nextCursor = next === null ? {} : { nextCursor: encodeCursor(['knowledge', next]) };
    return { resources: [...before, ...rows], ...nextCursor };
  }
}
