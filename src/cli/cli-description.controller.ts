import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Config } from '../platform/config/config.js';
import { Public } from '../principal/allow.decorator.js';
import { openApi } from '../rest/openapi.js';
import type { ServedOperation } from '../rest/routes.js';
import { protocol, serverVersion } from './cli-protocol.js';

export const CLI_OPERATIONS = Symbol('operations of the command line');

/** Public: the command line compares versions before it signs in. Contains no data. */
@Controller('cli')
@Public()
export class CliDescriptionController {
  private description?: string;

  constructor(
    @Inject(CLI_OPERATIONS) private readonly served: readonly ServedOperation[],
    private readonly config: Config,
  ) {}

  @Get()
  version() {
    return { name: 'countersign', version: serverVersion, protocol, time: new Date().toISOString() };
  }

  @Get('openapi.json')
  describe(@Res() response: Response): void {
    this.description ??= JSON.stringify(this.create());
    response.set({ 'Cache-Control': 'public, no-cache' }).type('application/json').send(this.description);
  }

  private create() {
    const { baseUrl } = this.config;
    return openApi(this.served, {
      title: 'Countersign command line interface',
      description: `The operations behind the \`countersign\` command, for a person in a terminal. A token comes from device authorization
(RFC 8628) with the client \`countersign-cli\`.`,
      baseUrl,
      tags: [{ name: 'Approvals', description: 'What waits for your decision.' }],
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'An access token, `cs_cli_…`' } },
    });
  }
}
