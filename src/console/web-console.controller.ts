import { randomBytes } from 'node:crypto';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { documentHeaders } from '../platform/http/page.js';
import { readWebPage } from '../platform/http/web-assets.js';
import { Allow } from '../principal/allow.decorator.js';

/** Scripts may come only from our own files; styles also from elements with the nonce of this response. */
const policy = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

/** The web console: one page for all its paths, for any signed-in member. The API decides what it may show. */
@Controller('console')
@SignedInPage()
@Allow()
export class WebConsoleController {
  @Get(['', '*path'])
  async show(@Res() response: Response): Promise<void> {
    const page = await readWebPage('index.html');
    const nonce = randomBytes(16).toString('base64url');
    response
      .set(documentHeaders(policy(nonce)))
      .type('html')
      .send(page.replace('%NONCE%', nonce));
  }
}
