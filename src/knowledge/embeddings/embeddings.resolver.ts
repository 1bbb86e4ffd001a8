import { Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EmbeddingStatus } from './embedding-status.js';
import { EmbeddingsService } from './embeddings.service.js';

@Resolver(() => EmbeddingStatus)
@Authenticate('session', 'admin-token')
export class EmbeddingsResolver {
  constructor(private readonly embeddings: EmbeddingsService) {}

  @Query(() => EmbeddingStatus, {
    nullable: true,
    description: 'The progress of search by meaning. Null if no embedding model is connected, or if it is paused.',
  })
  @Allow('knowledge:manage')
  embeddingStatus(@CurrentPrincipal() principal: Principal) {
    return this.embeddings.status(principal);
  }
}
