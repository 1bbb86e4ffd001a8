import { Args, Field, Mutation, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Member } from '../access/member.entity.js';
import { MembersService } from '../access/members.service.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { A2aKey } from './a2a-key.entity.js';
import { AgentIdentity } from './agent-identity.entity.js';
import {
  A2aKeyInput,
  CreateA2aKeyInput,
  CreateAgentInput,
  CreateAgentWithKeyInput,
  PauseAgentInput,
  RotateA2aKeyInput,
  UpdateAgentInput,
} from './agent.input.js';
import { AgentsService } from './agents.service.js';
import { KeyReveal } from './key-reveal.entity.js';
import { KeysService } from './keys.service.js';

@ObjectType({ description: 'A key with its plain text.' })
export class RevealedA2aKey {
  @Field(() => A2aKey)
  a2aKey: A2aKey;

  @Field({
    description: 'The plain key. Everyone who sees it shares responsibility for its requests and cannot approve them.',
  })
  key: string;
}

@Resolver(() => AgentIdentity)
@Authenticate('session', 'admin-token')
@Allow('configurations:manage')
export class AgentsResolver {
  private readonly keysOf: RequestLoader<Principal, A2aKey[]>;

  constructor(
    private readonly agents: AgentsService,
    keys: KeysService,
    private readonly members: MembersService,
  ) {
    this.keysOf = new RequestLoader((principal, ids) => keys.listOf(principal, ids));
  }

  @AllowAdminToken('the responsible member is the owner of the token')
  @Mutation(() => AgentIdentity)
  createAgent(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateAgentInput) {
    return this.agents.create(principal, input);
  }

  @AllowAdminToken('not the responsible member')
  @Mutation(() => AgentIdentity, { description: 'Changing the responsible member requires a session.' })
  updateAgent(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateAgentInput) {
    return this.agents.update(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => AgentIdentity, {
    description: 'Refuses all keys of the identity until it is resumed; its tasks wait.',
  })
  pauseAgent(@CurrentPrincipal() principal: Principal, @Args('input') { agentId }: PauseAgentInput) {
    return this.agents.pause(principal, agentId);
  }

  @Mutation(() => AgentIdentity)
  resumeAgent(@CurrentPrincipal() principal: Principal, @Args('input') { agentId }: PauseAgentInput) {
    return this.agents.resume(principal, agentId);
  }

  @ResolveField(() => Member)
  responsibleMember(@CurrentPrincipal() principal: Principal, @Parent() { responsibleMemberId }: AgentIdentity) {
    return this.members.load(principal, responsibleMemberId);
  }

  @ResolveField(() => [A2aKey], { description: 'Newest first, including revoked and expired keys.' })
  keys(@CurrentPrincipal() principal: Principal, @Parent() { id }: AgentIdentity) {
    return this.keysOf.load(principal, id);
  }
}

@Resolver(() => A2aKey)
@Authenticate('session', 'admin-token')
@Allow('keys:manage')
export class A2aKeysResolver {
  private readonly revealsOf: RequestLoader<Principal, KeyReveal[]>;

  constructor(private readonly service: KeysService) {
    this.revealsOf = new RequestLoader((principal, ids) => service.revealsOf(principal, ids));
  }

  @Mutation(() => RevealedA2aKey, { description: 'Requires a session.' })
  createA2aKey(@CurrentPrincipal() principal: Principal, @Args('input') { agentId, expiresAt }: CreateA2aKeyInput) {
    return this.service.create(principal, agentId, { expiresAt });
  }

  @Mutation(() => RevealedA2aKey, {
    description:
      'Creates an agent identity named after the configuration, for which you are responsible, and a key of it. Requires a session.',
  })
  createAgentWithKey(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateAgentWithKeyInput) {
    return this.service.createWithAgent(principal, input.configurationId, input);
  }

  @Mutation(() => RevealedA2aKey, {
    description:
      'Shows a key again. Requires a session in which you confirmed your identity within the last ten minutes. The reveal is recorded, and you can no longer approve requests of this key.',
  })
  revealA2aKey(@CurrentPrincipal() principal: Principal, @Args('input') { a2aKeyId }: A2aKeyInput) {
    return this.service.reveal(principal, a2aKeyId);
  }

  @Mutation(() => RevealedA2aKey, {
    description:
      'Creates a new key for the same identity. The old one stays valid for "overlapSeconds". Requires a session.',
  })
  rotateA2aKey(@CurrentPrincipal() principal: Principal, @Args('input') { a2aKeyId, ...input }: RotateA2aKeyInput) {
    return this.service.rotate(principal, a2aKeyId, input);
  }

  @AllowAdminToken()
  @Mutation(() => A2aKey, { description: 'Takes effect immediately and is final.' })
  revokeA2aKey(@CurrentPrincipal() principal: Principal, @Args('input') { a2aKeyId }: A2aKeyInput) {
    return this.service.revoke(principal, a2aKeyId);
  }

  @AllowAdminToken()
  @Mutation(() => A2aKey, { description: 'Refuses the key until it is resumed; its tasks wait.' })
  pauseA2aKey(@CurrentPrincipal() principal: Principal, @Args('input') { a2aKeyId }: A2aKeyInput) {
    return this.service.pause(principal, a2aKeyId);
  }

  @Mutation(() => A2aKey)
  resumeA2aKey(@CurrentPrincipal() principal: Principal, @Args('input') { a2aKeyId }: A2aKeyInput) {
    return this.service.resume(principal, a2aKeyId);
  }

  @ResolveField(() => [KeyReveal], { description: 'The members to whom it was shown again.' })
  reveals(@CurrentPrincipal() principal: Principal, @Parent() { id }: A2aKey) {
    return this.revealsOf.load(principal, id);
  }
}
