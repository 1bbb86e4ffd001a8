import { Get } from '@nestjs/common';
import { z } from 'zod';
import { ProfilesService } from '../access/profiles.service.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApiController } from './api-controller.decorator.js';
import { Asked, operation, Serves } from './operation.js';
import { id, sample } from './schemas.js';

const me = z
  .object({
    member: z.object({ id, name: z.string(), email: z.string() }),
    organization: z.object({
      id,
      name: z.string(),
      slug: z.string().meta({ description: 'Its short name in addresses' }),
    }),
    client: z.object({ id, name: z.string() }).meta({ description: 'The product that acts for you' }),
    scopes: z.array(z.enum(['api:read', 'api:write'])).meta({ description: 'What it may do for you' }),
  })
  .meta({ id: 'Me' });

const getMe = operation({
  id: 'getMe',
  tag: 'You',
  summary: 'Whom the access token stands for',
  description: 'The person, the organization, the product, and what the person has agreed to.',
  scope: 'api:read',
  answers: {
    200: {
      description: 'The person',
      schema: me,
      example: {
        member: { id: sample.task, name: 'Grace Lindqvist', email: 'grace@larkmoor.example' },
        organization: { id: sample.document, name: 'Larkmoor Robotics', slug: 'larkmoor' },
        client: { id: sample.call, name: 'Line portal' },
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
  async me(@CurrentPrincipal() principal: Principal, @Asked() _: unknown): Promise<z.output<typeof me>> {
    const { chain, scopes } = principal;
    const client = chain.find(({ kind }) => kind === 'client')!;
    return {
      ...(await this.profiles.get(principal)),
      client: { id: client.id, name: client.name },
      scopes: scopes.filter((scope) => scope === 'api:read' || scope === 'api:write'),
    };
  }
}
