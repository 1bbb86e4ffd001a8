import { Controller, Get, Header, Param, ParseUUIDPipe } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { Public } from '../principal/allow.decorator.js';
import { callbackPath, documentPath } from './paths.js';
import { clientMetadata } from './registration.js';

/**
 * Client metadata for authorization servers that accept the URL of this document as a client id. It is served for any
 * id, so it does not reveal which connections exist.
 */
@Controller('connections/:id/client.json')
@Public()
export class ClientDocumentController {
  constructor(private readonly config: Config) {}

  @Get()
  @Header('Cache-Control', 'public, max-age=3600')
  show(@Param('id', ParseUUIDPipe) id: string) {
    const { baseUrl } = this.config;
    return {
      client_id: baseUrl + documentPath(id),
      client_uri: baseUrl,
      token_endpoint_auth_method: 'none',
      ...clientMetadata(baseUrl + callbackPath(id)),
    };
  }
}
