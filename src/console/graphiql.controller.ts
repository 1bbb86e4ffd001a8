import { readFile } from 'node:fs/promises';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { notFound } from '../platform/errors/general.error.js';
import { documentHeaders } from '../platform/http/page.js';
import { webFile } from '../platform/http/web-assets.js';
import { Allow } from '../principal/allow.decorator.js';

// its editor sets style attributes; scripts come from us alone
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** The administration API by hand, for signed-in administrators; the schema answers only to them. */
@Controller('graphiql')
@SignedInPage()
@Allow('organization:manage')
export class GraphiqlController {
  @Get()
  async show(@Res() response: Response): Promise<void> {
    const page = await readFile(webFile('graphiql/index.html')).catch(() => {
      throw notFound('This server was started without the build of its pages (npm run build).');
    });
    response.set(documentHeaders(policy)).type('html').send(page);
  }
}
