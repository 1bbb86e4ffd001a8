import { Get } from '@nestjs/common';
import { z } from 'zod';
import { ProfilesService } from '../access/profiles.service.js';
import { ConnectedDevicesService } from '../oauth/clients/connected-devices.service.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { defineOperation, OperationRequest, Serves } from '../rest/operation.js';
import { exampleValues, timeSchema, uuidSchema } from '../rest/schemas.js';
import { CliController } from './cli-controller.decorator.js';
import { serverVersion } from './cli-protocol.js';

const whoamiSchema = z
  .object({
    member: z.object({ id: uuidSchema, name: z.string(), email: z.string() }),
    organization: z.object({ id: uuidSchema, name: z.string(), slug: z.string() }),
    device: z
      .object({ id: uuidSchema, program: z.string().nullable(), connectedAt: timeSchema, expiresAt: timeSchema })
      .meta({ description: 'The terminal that the person connected' }),
    scopes: z.array(z.enum(['api:read', 'api:write'])).meta({ description: 'The access that you allowed' }),
    serverVersion: z.string(),
  })
  .meta({ id: 'Terminal' });

const getTerminal = defineOperation({
  id: 'getTerminal',
  tag: 'You',
  summary: 'Get the holder of the access token',
  description: 'Returns the person, the organization, the device and the scopes that the person allowed.',
  scope: 'api:read',
  answers: {
    200: {
      description: 'The person and the device',
      schema: whoamiSchema,
      example: {
        member: { id: exampleValues.task, name: 'Grace Lindqvist', email: 'grace@larkmoor.example' },
        organization: { id: exampleValues.document, name: 'Larkmoor Robotics', slug: 'larkmoor' },
        device: {
          id: exampleValues.call,
          program: 'countersign/0.1.0 (linux)',
          connectedAt: exampleValues.time,
          expiresAt: exampleValues.time,
        },
        scopes: ['api:read', 'api:write'],
        serverVersion: '0.1.0',
      },
    },
  },
  problems: [],
});

@CliController('whoami')
export class WhoamiController {
  constructor(
    private readonly profiles: ProfilesService,
    private readonly devices: ConnectedDevicesService,
  ) {}

  @Get()
  @Serves(getTerminal)
  async get(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() _: unknown,
  ): Promise<z.output<typeof whoamiSchema>> {
    const [profile, device] = await Promise.all([this.profiles.get(principal), this.devices.getCurrent(principal)]);
    const { id, program, connectedAt, expiresAt } = device;
    return {
      ...profile,
      device: { id, program, connectedAt: connectedAt.toISOString(), expiresAt: expiresAt.toISOString() },
      scopes: principal.scopes.filter((scope) => scope === 'api:read' || scope === 'api:write'),
      serverVersion,
    };
  }
}
