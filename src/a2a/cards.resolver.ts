import { Args, ID, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { AgentIdentity } from '../configurations/agent-identity.entity.js';
import { AgentsService } from '../configurations/agents.service.js';
import { Configuration } from '../configurations/configuration.entity.js';
import { agentNotFound } from '../configurations/configurations.error.js';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CardService } from './card.service.js';

/** An id that no policy refers to. */
const unknownAgentId = '00000000-0000-0000-0000-000000000000';

/** Adds the card to `Configuration` in this module, because only this module can build it. */
@Resolver(() => Configuration)
@Authenticate('session', 'admin-token')
export class CardsResolver {
  private readonly agentsOf: RequestLoader<Principal, AgentIdentity[]>;

  constructor(
    private readonly cards: CardService,
    agents: AgentsService,
  ) {
    this.agentsOf = new RequestLoader((principal, ids) => agents.listOf(principal, ids));
  }

  @ResolveField(() => JsonScalar, {
    description:
      'The agent card that this agent identity receives. Without `agentId`: the card for a new identity. It has one skill for each tool that the policies could allow.',
  })
  @Allow('policies:read')
  async agentCard(
    @CurrentPrincipal() principal: Principal,
    @Parent() { id: configurationId }: Configuration,
    @Args('agentId', { type: () => ID, nullable: true }) agentId?: string | null,
  ): Promise<object> {
    if (agentId) await this.requireAgentOfConfiguration(principal, configurationId, agentId);
    const caller = previewPrincipal(principal, configurationId, agentId ?? unknownAgentId);
    const { text } = await this.cards.cardOf(caller, configurationId);
    return JSON.parse(text) as object;
  }

  private async requireAgentOfConfiguration(
    principal: Principal,
    configurationId: string,
    agentId: string,
  ): Promise<void> {
    const agents = await this.agentsOf.load(principal, configurationId);
    if (!agents.some(({ id }) => id === agentId)) throw agentNotFound('There is no such agent identity.');
  }
}

/** Has the agent's view but no key and no scopes, so it cannot call anything. */
const previewPrincipal = ({ tenantId }: Principal, configurationId: string, agentId: string): Principal => ({
  tenantId,
  kind: 'agent',
  name: 'agent card preview',
  agentId,
  configurationId,
  surface: 'a2a',
  scopes: [],
  permissions: new Set(),
  chain: [],
});
