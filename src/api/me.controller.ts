import { Get } from '@nestjs/common';
import { z } from 'zod';
import { ProfilesService } from '../access/profiles.service.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApiController } from './api-controller.decorator.js';
import { OperationRequest, defineOperation, Serves } from '../rest/operation.js';
import { uuidSchema, exampleValues } from '../rest/schemas.js';

const meSchema = z
  .object({
    member: z.object({ id: uuidSchema, name: z.string(), email: z.string() }),
    organization: z.object({
      id: uuidSchema,
      name: z.string(),
      slug: z.string().meta({ description: 'The name of the organization in URLs' }),
    }),
    client: z.object({ id: uuidSchema, name: z.string() }).meta({ description: 'The product that acts for you' }),
    scopes: z.array(z.enum(['api:read', 'api:write'])).meta({ description: 'The access that you allowed' }),
  })
  .meta({ id: 'Me' });

const getMe = defineOperation({
  id: 'getMe',
  tag: 'You',
  summary: 'Get the holder of the access token',
  description: 'Returns the person, the organization, the product and the scopes that the person allowed.',
  scope: 'api:read',
  answers: {
    200: {
      description: 'The person',
      schema: meSchema,
      example: {
        member: { id: exampleValues.task, name: 'Grace Lindqvist', email: 'grace@larkmoor.example' },
        organization: { id: exampleValues.document, name: 'Larkmoor Robotics', slug: 'larkmoor' },
        client: { id: exampleValues.call, name: 'Line portal' },
        scopes: ['api:read', 'api:write'],
      },
    },
  },
  problems: [],
});

@ApiController('me')
export class MeController {
  constructor(private readonly profiles: ProfilesService) {}

  @Get()
  @Serves(getMe)
  async me(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() _: unknown,
  ): Promise<z.output<typeof meSchema>> {
    const { chain, scopes } = principal;
    const client = chain.find(({ kind }) => kind === 'client')!;
    return {
      ...(await this.profiles.get(principal)),
      client: { id: client.id, name: client.name },
      scopes: scopes.filter((scope) => scope === 'api:read' || scope === 'api:write'),
    };
  }
}
