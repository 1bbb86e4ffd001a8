import { Global, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Cookies } from './cookies.service.js';
import { Forms } from './forms.service.js';
import { Origins } from './origins.service.js';
import { icon, stylesheet } from './page.js';

/** Server-rendered pages: their cookies, their forms, their stylesheet and icon. */
@Global()
@Module({ providers: [Cookies, Origins, Forms], exports: [Cookies, Origins, Forms] })
export class PagesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(send('css', stylesheet)).forRoutes('assets/page.css');
    consumer.apply(send('svg', icon)).forRoutes('assets/icon.svg');
  }
}

const send = (type: string, text: string) => (_: Request, response: Response) =>
  void response
    .set({ 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' })
    .type(type)
    .send(text);
