import { Global, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CookiesService } from './cookies.service.js';
import { CsrfService } from './csrf.service.js';
import { RequestOriginService } from './request-origin.service.js';
import { icon, stylesheet } from './page.js';

/** Server-rendered pages: cookies, CSRF protection of forms, stylesheet and icon. */
@Global()
@Module({
  providers: [CookiesService, RequestOriginService, CsrfService],
  exports: [CookiesService, RequestOriginService, CsrfService],
})
export class PagesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(sendAsset('css', stylesheet)).forRoutes('assets/page.css');
    consumer.apply(sendAsset('svg', icon)).forRoutes('assets/icon.svg');
  }
}

const sendAsset = (type: string, text: string) => (_: Request, response: Response) =>
  void response
    .set({ 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' })
    .type(type)
    .send(text);
