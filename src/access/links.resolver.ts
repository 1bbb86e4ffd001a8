import { Args, ArgsType, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { IsBoolean, IsOptional, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Link } from './link.entity.js';
import { LinksService } from './links.service.js';

@ObjectType()
export class LinkConnection extends Paginated(Link) {}

@ArgsType()
export class LinksArgs extends PageArgs {
  @Field(() => Boolean, { nullable: true, description: 'Only links that can still be used.' })
  @IsOptional()
  @IsBoolean()
  isOpen?: boolean | null;
}

@ObjectType({ description: 'A newly created link.' })
export class CreatedLink {
  @Field(() => Link)
  link: Link;

  @Field({ description: 'The URL to pass on. Shown only once; works once, within 24 hours.' })
  url: string;
}

@InputType()
export class RevokeLinkInput {
  @Field(() => ID)
  @IsUUID()
  linkId: string;
}

@Resolver(() => Link)
@Authenticate('session', 'admin-token')
@Allow('members:manage')
export class LinksResolver {
  constructor(private readonly service: LinksService) {}

  @Query(() => LinkConnection, { description: 'Invitations and other single-use links, newest first.' })
  links(@CurrentPrincipal() principal: Principal, @Args() { isOpen, ...page }: LinksArgs) {
    return this.service.list(principal, page, { isOpen });
  }

  @AllowAdminToken()
  @Mutation(() => Link, { description: 'Revokes an unused link.' })
  revokeLink(@CurrentPrincipal() principal: Principal, @Args('input') { linkId }: RevokeLinkInput) {
    return this.service.revoke(principal, linkId);
  }
}
