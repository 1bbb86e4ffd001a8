import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { documentHeaders } from '../platform/http/page.js';
import { readWebPage } from '../platform/http/web-assets.js';
import { Allow } from '../principal/allow.decorator.js';

// the editor sets style attributes; scripts may come only from this origin
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** GraphiQL for signed-in administrators; only they may query the schema. */
@Controller('graphiql')
@SignedInPage()
@Allow('organization:manage')
export class GraphiqlController {
  @Get()
  async show(@Res() response: Response): Promise<void> {
    const page = await readWebPage('graphiql/index.html');
    response.set(documentHeaders(policy)).type('html').send(page);
  }
}
